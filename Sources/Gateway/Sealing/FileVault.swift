import Channels
import Configuration
import Crypto
import Logging
import ParleyProtocol
import Store
import Synchronization
import Uploads

/// The encryption of files on this server, under keys that are wrapped with master keys.
final class FileVault: Sendable {
  let masterKeys: MasterKeyring
  let userKeys: UserFileKeys
  let store: Store
  let files: FileStore
  let settings: Settings
  let logger: Logger
  let counters = FileVaultCounters()
  /// Whether keys are being rewrapped, and files converted.
  let isRewrapping = Atomic(false)
  let isConverting = Atomic(false)
  /// The ids of missing master keys, which are logged once.
  private let missedKeys = Mutex<Set<String>>([])
  let conversions = ConversionsUnderWay<Result<FileConversionStart.Outcome, ServiceError>>()

  /// Reads the master keys, or creates one when the deployment has none.
  ///
  /// - Throws: `StoreError`.
  init(
    _ settings: Settings, store: Store, files: FileStore, sharing: StoreSharing, logger: Logger
  ) throws {
    masterKeys = try MasterKeyring(
      settings, store: store, files: files, sharing: sharing, logger: logger)
    userKeys = UserFileKeys(settings, masterKeys, counters)
    self.store = store
    self.files = files
    self.settings = settings
    self.logger = logger
    rewrapAll()
    masterKeys.watch { [weak self] in self?.rewrapAll() }
  }

  /// The master keys; `nil` when there are none, so that files can be neither encrypted nor opened.
  var masters: MasterKeys? { masterKeys.current }

  /// Reloads the master keys.
  ///
  /// When that fails, the previous keys stay in use.
  func reload() {
    masterKeys.reload { [self] in rewrapAll() }
  }

  /// Makes a new master key current; see ``MasterKeyring/rotate(then:)``.
  func rotate(
    then completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) throws(ServiceError) {
    try masterKeys.rotate { [self] result in
      if case .success = result { rewrapAll() }
      completion(result)
    }
  }

  // MARK: Files

  /// Whether files are encrypted even if no request asks for it.
  var encryptsAll: Bool { settings.files.encryption == .on }

  /// Decides whether a new file, which may become a picture, is encrypted.
  ///
  /// - Throws: 500901 when there is no master key.
  func mustSeal(_ wish: Bool?) throws(ServiceError) -> Bool {
    guard wish ?? encryptsAll else { return false }
    try requireMasterKey()
    return true
  }

  /// Decides whether a new file of a message is encrypted.
  ///
  /// A request for no encryption is ignored.
  ///
  /// - Throws: 500901 when there is no master key.
  func mustSealForMessage(_ wish: Bool?) throws(ServiceError) -> Bool {
    guard encryptsAll || wish == true else { return false }
    try requireMasterKey()
    return true
  }

  private func requireMasterKey() throws(ServiceError) {
    if let problem = masterKeys.problem { throw problem.refusal }
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

  /// Opens a stored file, encrypted or not.
  ///
  /// - Parameter completion: Called on a thread of the files, or immediately.
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

  /// Begins to receive a thumbnail of a file, which is encrypted if the file is.
  func beginThumbnail(of file: FileRecord) throws -> any FileUpload {
    guard file.seal != nil else { return files.beginUpload() }
    let keys = try keys(of: file)
    return files.beginUpload(sealedWith: { keys.ofThumbnail($0).last })
  }

  /// The keys under which a request continues an encrypted upload, and their wrapped form.
  ///
  /// After a request that did not end cleanly, another key encrypts the data that follows, because
  /// sealed chunks may have been lost. `nil` for an upload in the clear.
  func sealing(
    of record: UploadRecord, at offset: Int64
  ) throws(WrappedKeyError) -> (kept: UploadSeal, used: PartialSealing)? {
    guard let seal = record.seal else { return nil }
    guard let masters else { throw .missingMasterKey(seal.masterKeyID) }
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

  /// Records that the keys of a file cannot be used.
  ///
  /// - Returns: The answer to a request that needs them.
  func refusal(of error: WrappedKeyError, ofFile id: String) -> ServiceError {
    switch error {
    case .missingMasterKey(let keyID):
      counters.add(.keyMissing)
      if missedKeys.withLock({ $0.insert(keyID).inserted }) {
        logger.error(
          "an encrypted file needs a master key that this server lacks",
          metadata: ["file_id": "\(id)", "key_id": "\(keyID)"])
      }
      return .missingMasterKey(keyID)
    case .notAuthentic:
      noteDamage(of: id, "its key was changed, or wrapped with another master key")
      return .damagedFile
    }
  }

  /// Records that a file differs from what was stored.
  func noteDamage(of id: String, _ reason: String) {
    counters.add(.damaged)
    logger.error(
      "an encrypted file is damaged", metadata: ["file_id": "\(id)", "reason": "\(reason)"])
  }
}

extension FileSeal {
  init(_ keys: WrappedKeys) { self.init(masterKeyID: keys.masterKeyID, keys: keys.bytes) }
}

extension ServiceError {
  /// The error for an encrypted file whose master key is missing on this server.
  static func missingMasterKey(_ id: String) -> ServiceError {
    ServiceError(
      .internalError,
      "the file is encrypted, and the server does not have its master key \(id): try again later")
  }

  /// The error for a file whose length or bytes differ from what was stored.
  static let damagedFile = ServiceError(.internalError, "the file is damaged")
}
