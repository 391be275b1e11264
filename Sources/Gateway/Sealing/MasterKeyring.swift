import Configuration
import Crypto
import Logging
import ParleyProtocol
import SealedFiles
import Store
import Synchronization

/// The master keys of a deployment: read at the start and on request, checked against the keys that stored
/// files need, and replaced by new ones.
final class MasterKeyring: Sendable {
  private let source: MasterKeySource
  private let isAlone: Bool
  private let store: Store
  private let files: FileStore
  private let logger: Logger
  private let keys: Mutex<MasterKeys?>
  private let isRotating = Atomic(false)

  /// Reads the keys, or makes one when the deployment has none.
  ///
  /// - Parameter isAlone: Whether no other server of the deployment has the keys too.
  /// - Throws: ``StartError`` when stored files need keys that are missing, or a key is not the one
  ///   that the deployment knows by its name.
  init(
    _ settings: Settings, store: Store, files: FileStore, isAlone: Bool, logger: Logger
  ) throws {
    source = MasterKeySource(settings)
    self.isAlone = isAlone
    self.store = store
    self.files = files
    self.logger = logger
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
  }

  /// The keys in use; `nil` where there are none.
  var current: MasterKeys? { keys.withLock { $0 } }

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
  ///
  /// - Parameter changed: Called on any thread when others are in use.
  func reload(then changed: @escaping @Sendable () -> Void) {
    do {
      guard let found = try source.read() else { return }
      store.perform(MasterKeyUseLookup()) { [self] result in
        do {
          try Self.check(found, against: try result.get(), source)
          register(found) { if case .success = $0 { changed() } }
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
      case .failure(let error): reject(error)
      }
      next(result.serviceResult)
    }
  }

  /// Puts a new key before the others, in the key file first.
  ///
  /// - Parameter completion: Called on any thread.
  /// - Throws: 400920 where the keys are not this server's to change, 400203 where there are too many.
  func rotate(
    then completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) throws(ServiceError) {
    guard isAlone, case .file(let path) = source, current != nil else {
      throw .notCombinable(
        "key_id",
        "the keys come from a command, or several servers share them: put a new key first there, and send SIGHUP to each server"
      )
    }
    guard (current?.all.count ?? 0) < MasterKeys.countLimit else {
      throw .tooMany("key_id", limit: MasterKeys.countLimit)
    }
    guard !isRotating.exchange(true, ordering: .acquiringAndReleasing) else {
      throw .notCombinable("key_id", "another call changes the master key: try again later")
    }
    files.perform { [self] in
      do {
        guard let current else { throw StartError("there is no master key") }
        let rotated = current.rotated(to: MasterKeySource.newKey())
        try MasterKeySource.write(rotated, to: path)
        register(rotated) { [self] result in
          isRotating.store(false, ordering: .releasing)
          completion(result)
        }
      } catch {
        isRotating.store(false, ordering: .releasing)
        reject(error)
        completion(.failure(.internalError))
      }
    }
  }
}

extension MasterKeys {
  fileprivate var proofs: [MasterKeyProof] { all.map(\.proof) }
}

extension MasterKey {
  fileprivate var proof: MasterKeyProof {
    MasterKeyProof(keyID: id, proof: key.derived(for: "parley master key proof").bytes)
  }
}
