import Channels
import Configuration
import Crypto
import Logging
import ParleyProtocol
import SealedFiles
import Store
import Synchronization
import Uploads

/// The encryption of files on this server: master keys, the keys of files, and the keys with which users
/// open them.
final class FileVault: Sendable {
  private let source: MasterKeySource
  private let isAlone: Bool
  let store: Store
  let files: FileStore
  let settings: Settings
  let logger: Logger
  /// `nil` where there are none: nothing can be encrypted or opened here.
  private let keys: Mutex<MasterKeys?>
  private let failures: FailedKeys
  let counters = FileVaultCounters()
  /// Whether keys are being wrapped anew, and files converted.
  let isRewrapping = Mutex(false)
  let isConverting = Mutex(false)
  let conversions = ConversionsUnderWay<Result<FileConversionStart.Outcome, ServiceError>>()
  private let isRotating = Mutex(false)

  /// Reads the master keys, or makes one when the deployment has none.
  ///
  /// - Throws: ``StartError`` when stored files need keys that are not there, or a key is not the one
  ///   that the deployment knows by its name.
  init(
    _ settings: Settings, store: Store, files: FileStore, isAlone: Bool, logger: Logger
  ) throws {
    source = MasterKeySource(settings)
    self.isAlone = isAlone
    self.store = store
    self.files = files
    self.settings = settings
    self.logger = logger
    failures = FailedKeys(perSecond: settings.limits.fileKeyFailuresPerSecond)
    let use = try store.performNow(MasterKeyUseLookup())
    var found = try source.read()
    if found == nil { found = try Self.make(source, settings, use, store, isAlone: isAlone) }
    if let found {
      try Self.check(found, against: use, source)
      try store.performNow(MasterKeyRegistration(found.proofs))
    } else if settings.limits.fileBytes > 0 {
      logger.warning(
        "files.master_keys: the key file of the other servers is missing here; users get no file keys from this server, and files cannot be encrypted"
      )
    }
    keys = Mutex(found)
    rewrapAll()
  }

  /// Makes the first key of a deployment.
  private static func make(
    _ source: MasterKeySource, _ settings: Settings, _ use: MasterKeyUse, _ store: Store,
    isAlone: Bool
  ) throws -> MasterKeys? {
    guard case .file(let path) = source else { return nil }
    guard use.needed.isEmpty else {
      throw StartError(
        "files.master_keys: \(path) is missing, and stored files need the master keys \(use.needed.sorted().joined(separator: ", ")): put the file back from its backup"
      )
    }
    if settings.limits.fileBytes > 0, isAlone || use.registered.isEmpty {
      let keys = MasterKeys(MasterKeySource.newKey())
      // Of servers that start at the same time one makes the key of them all.
      let isFirst = try isAlone || store.performNow(FirstMasterKey(keys.current.proof))
      if isFirst {
        try MasterKeySource.write(keys, to: path)
        return keys
      }
    }
    guard settings.files.encryption == .off else {
      throw StartError(
        "files.master_keys: \(path) is missing: copy the file of another server of the deployment")
    }
    return nil
  }

  private static func check(
    _ keys: MasterKeys, against use: MasterKeyUse, _ source: MasterKeySource
  ) throws(StartError) {
    for known in use.registered {
      guard let key = keys[known.keyID], key.proof.proof != known.proof else { continue }
      throw StartError(
        "\(source.setting): the master key \(known.keyID) is not the one that files of this deployment were encrypted with"
      )
    }
    let missing = use.needed.filter { keys[$0] == nil }.sorted()
    guard missing.isEmpty else {
      throw StartError(
        "\(source.setting): stored files need the master keys \(missing.joined(separator: ", ")), which are not among those given"
      )
    }
  }

  /// Reads the keys again; those before stay in use when that fails.
  func reload() {
    do {
      guard let found = try source.read() else { return }
      store.perform(MasterKeyUseLookup()) { [self] result in
        do {
          try Self.check(found, against: try result.get(), source)
          register(found) { _ in }
        } catch {
          reject(error)
        }
      }
    } catch {
      reject(error)
    }
  }

  private func reject(_ error: any Error) {
    logger.error(
      "the master keys of files cannot be used; the previous ones stay in force",
      metadata: ["reason": "\(error)"])
  }

  /// Takes note of keys in the store, and goes on with them.
  private func register(
    _ found: MasterKeys, then next: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) {
    store.perform(MasterKeyRegistration(found.proofs)) { [self] result in
      switch result {
      case .success:
        keys.withLock { $0 = found }
        rewrapAll()
      case .failure(let error): reject(error)
      }
      next(result.serviceResult)
    }
  }

  /// The master keys.
  var masters: MasterKeys? { keys.withLock { $0 } }

  /// Puts a new key before the others, in the key file first.
  ///
  /// - Parameter completion: Called on any thread.
  /// - Throws: 400920 where the keys are not this server's to change, 400203 where there are too many.
  func rotate(
    then completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) throws(ServiceError) {
    guard isAlone, case .file(let path) = source, masters != nil else {
      throw .notCombinable(
        "key_id",
        "the keys come from a command, or several servers share them: put a new key first there, and send SIGHUP to each server"
      )
    }
    guard (masters?.all.count ?? 0) < MasterKeys.countLimit else {
      throw .tooMany("key_id", limit: MasterKeys.countLimit)
    }
    guard isRotating.withLock({ claim(&$0) }) else {
      throw .notCombinable("key_id", "another call changes the master key: try again later")
    }
    files.perform { [self] in
      do {
        guard let masters else { throw StartError("there is no master key") }
        let rotated = masters.rotated(to: MasterKeySource.newKey())
        try MasterKeySource.write(rotated, to: path)
        register(rotated) { [self] result in
          isRotating.withLock { $0 = false }
          completion(result)
        }
      } catch {
        isRotating.withLock { $0 = false }
        reject(error)
        completion(.failure(.internalError))
      }
    }
  }

  func claim(_ isUnderWay: inout Bool) -> Bool {
    defer { isUnderWay = true }
    return !isUnderWay
  }

  // MARK: Files

  /// Whether files are encrypted that nobody asks about.
  var encryptsAll: Bool { settings.files.encryption == .on }

  /// Decides whether a new file is encrypted, which may become a picture.
  ///
  /// - Throws: 400920 where there is no master key.
  func mustSeal(_ wish: Bool?) throws(ServiceError) -> Bool {
    guard wish ?? encryptsAll else { return false }
    try requireMasterKey()
    return true
  }

  /// Decides whether a new file of a message is encrypted: a wish for none has no say.
  ///
  /// - Throws: 400920 where there is no master key.
  func mustSealForMessage(_ wish: Bool?) throws(ServiceError) -> Bool {
    guard encryptsAll || wish == true else { return false }
    try requireMasterKey()
    return true
  }

  private func requireMasterKey() throws(ServiceError) {
    guard masters == nil else { return }
    throw .notCombinable("require_auth", "the server has no master key to encrypt the file with")
  }

  /// Wraps the key of a new file.
  func seal(_ key: SymmetricKey, ofFile id: String) -> FileSeal? {
    masters.map { FileSeal(FileKeys(key).wrapped(ofFile: id, with: $0)) }
  }

  /// The keys of a stored file.
  func keys(of file: FileRecord) throws(WrappedKeyError) -> FileKeys {
    guard let seal = file.seal, let masters else {
      throw .missingMasterKey(file.seal?.masterKeyID ?? "")
    }
    return try WrappedKeys(masterKeyID: seal.masterKeyID, bytes: seal.keys)
      .open(ofFile: file.id, with: masters)
  }

  /// Opens a stored file in whichever way it is stored.
  ///
  /// - Parameter completion: Called on a thread of the files, or at once.
  func open(
    _ file: FileRecord,
    completion: @escaping @Sendable (Result<ReadableFile, any Error>) -> Void
  ) {
    guard file.seal != nil else {
      files.perform { [files] in
        completion(Result { try files.open(file.id) })
      }
      return
    }
    do {
      let keys = try keys(of: file)
      files.open(file, keys) { [self] in
        noteDamage(of: file.id, $0)
      } completion: {
        completion($0.mapError { $0 })
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// Begins to receive a thumbnail of a file, which is stored in the way of the file.
  func beginThumbnail(of file: FileRecord) throws -> any FileUpload {
    guard file.seal != nil else { return files.beginUpload() }
    let keys = try keys(of: file)
    return files.beginUpload(sealedWith: { keys.ofThumbnail($0).last })
  }

  /// The keys under which a request continues an encrypted upload, and their wrapped form.
  ///
  /// After a request that did not end in order another key seals what comes: chunks may have been sealed
  /// that are lost. `nil` for an upload in the clear.
  func sealing(
    of record: UploadRecord, at offset: Int64
  ) throws -> (kept: UploadSeal, used: PartialSealing)? {
    guard let seal = record.seal else { return nil }
    guard let masters else { throw WrappedKeyError.missingMasterKey(seal.masterKeyID) }
    let (id, keys, tailKey): (String, FileKeys, SymmetricKey)
    id = record.fileID
    var tail: [UInt8]?
    if offset == 0 || seal.keys.isEmpty {
      (keys, tailKey) = (FileKeys(), SymmetricKey())
    } else {
      let found = try WrappedKeys(masterKeyID: seal.masterKeyID, bytes: seal.keys)
        .open(ofFile: id, with: masters)
      tail = seal.tail
      let next = PartialSealing.chunkCount(before: offset, tail: tail)
      keys = seal.isDirty ? found.renewed(fromChunk: next) : found
      tailKey = try WrappedKey(masterKeyID: seal.masterKeyID, sealed: seal.tailKey)
        .open(of: .tail, ofFile: id, with: masters)
    }
    let wrapped = keys.wrapped(ofFile: id, with: masters)
    let kept = UploadSeal(
      masterKeyID: wrapped.masterKeyID, keys: wrapped.bytes,
      tailKey: WrappedKey(tailKey, of: .tail, ofFile: id, with: masters).sealed)
    return (kept, PartialSealing(keys: keys, tailKey: tailKey, tail: tail))
  }

  // MARK: Keys of users

  /// Whether users get keys for files.
  var givesKeys: Bool { settings.limits.fileBytes > 0 && masters != nil }

  /// Gives out a key with which a user opens files; `nil` where files are off, or without master keys.
  func key(of userID: String, since generation: Int64, at now: Int64) -> Event.FileKey? {
    guard settings.limits.fileBytes > 0, let masters else { return nil }
    let expiry = now + settings.files.keySeconds * 1_000
    let key = FileAccessKey(
      userID: userID, generation: UInt64(clamping: generation), expiresAt: expiry)
    counters.add(.given)
    return Event.FileKey(key: key.text(with: masters), expiresAt: expiry)
  }

  /// The time before the end of a key at which a session gets another.
  var renewalTime: Int64 { min(3_600_000, settings.files.keySeconds * 500) }

  /// Judges the key of a request, without asking the store.
  func judge(_ sent: SentFileKey, from address: FailedKeys.Address, at now: Int64) -> KeyJudgement {
    let key: FileAccessKey
    switch sent {
    case .none: return .missing
    case .several: return failure(from: address)
    case .one(let text):
      guard let masters, let read = FileAccessKey(text: text, keys: masters) else {
        return failure(from: address)
      }
      key = read
    }
    return key.expiresAt > now ? .good(key) : .void
  }

  private func failure(from address: FailedKeys.Address) -> KeyJudgement {
    guard failures.admit(address) else {
      counters.add(.slowed)
      return .slowed
    }
    counters.add(.refused)
    return .void
  }

  /// Notes that a file is not what was stored.
  func noteDamage(of id: String, _ reason: String) {
    counters.add(.damaged)
    logger.error(
      "an encrypted file is damaged", metadata: ["file_id": "\(id)", "reason": "\(reason)"])
  }
}

/// The judgement on the key of a request.
enum KeyJudgement: Sendable {
  case missing
  case good(FileAccessKey)
  /// False or expired.
  case void
  /// Too many false ones came from the address.
  case slowed
}

extension FileSeal {
  init(_ keys: WrappedKeys) { self.init(masterKeyID: keys.masterKeyID, keys: keys.bytes) }
}

extension MasterKeys {
  fileprivate var proofs: [MasterKeyProof] { all.map(\.proof) }
}

extension MasterKey {
  fileprivate var proof: MasterKeyProof {
    MasterKeyProof(keyID: id, proof: key.derived(for: "parley master key proof").bytes)
  }
}
