import Basics
import Configuration
import Crypto
import Dispatch
import Logging
import ParleyProtocol
import Reactor
import Store
import Synchronization

/// The master keys of a deployment: read at startup and on request, compared with those of the
/// deployment, and replaced by new ones.
///
/// A server whose keys differ from those of its deployment has no keys. It serves everything except
/// encrypted files, and checks its keys again until they match.
final class MasterKeyring: Sendable {
  /// The time before unusable keys are checked again, in milliseconds.
  ///
  /// Another server may be writing the keys to a shared file.
  private static let backoff = Backoff(first: 500, limit: 30_000, jitter: .equal)

  private let source: MasterKeySource
  private let sharing: StoreSharing
  private let store: Store
  private let files: FileStore
  private let logger: Logger
  private let keys: Mutex<Result<MasterKeys, MasterKeyProblem>>
  private let isRotating = Atomic(false)
  private let queue = DispatchQueue(label: "master-keys")

  /// Reads the keys, or creates one when the deployment has none.
  ///
  /// - Parameter sharing: Whether other servers of the deployment use the keys too.
  /// - Throws: `StoreError`.
  init(
    _ settings: Settings, store: Store, files: FileStore, sharing: StoreSharing, logger: Logger
  ) throws {
    source = MasterKeySource(settings)
    self.sharing = sharing
    self.store = store
    self.files = files
    self.logger = logger
    let found = try Self.find(source, settings, store, sharing)
    keys = Mutex(found)
    guard case .failure(let problem) = found else { return }
    guard settings.limits.fileBytes > 0 || !problem.keyIDs.isEmpty else { return }
    log(problem)
  }

  /// The keys in use; `nil` when there are none.
  var current: MasterKeys? { try? keys.withLock { $0 }.get() }

  /// The reason why there are no keys; `nil` when there are keys.
  var problem: MasterKeyProblem? {
    switch keys.withLock({ $0 }) {
    case .success: nil
    case .failure(let problem): problem
    }
  }

  /// Reads the keys or creates the first one, and registers them with the deployment.
  private static func find(
    _ source: MasterKeySource, _ settings: Settings, _ store: Store, _ sharing: StoreSharing
  ) throws -> Result<MasterKeys, MasterKeyProblem> {
    let found: MasterKeys?
    do throws(StartError) {
      found = try source.read()
    } catch {
      return .failure(.unreadable(error.description))
    }
    guard let found else { return try make(source, settings, store, sharing) }
    return try join(found, source, store, sharing)
  }

  /// The ids of the keys that a server without a key file needs; empty when it creates the first one.
  static func needed(_ use: MasterKeyUse, _ sharing: StoreSharing) -> [String] {
    let required = use.required(sharing)
    guard required.isEmpty else { return required }
    switch sharing {
    case .alone: return []
    case .shared: return use.registered.map(\.keyID)
    }
  }

  /// Creates the first key of a deployment.
  ///
  /// The key is on disk before the deployment learns of it, so a crash does not lose the key. Several
  /// servers may use the same file.
  private static func make(
    _ source: MasterKeySource, _ settings: Settings, _ store: Store, _ sharing: StoreSharing
  ) throws -> Result<MasterKeys, MasterKeyProblem> {
    guard case .file(let path) = source else { return .failure(.unreadable("there is no key")) }
    let use = try store.performNow(MasterKeyUseLookup())
    let needed = needed(use, sharing)
    guard needed.isEmpty, settings.limits.fileBytes > 0 else {
      return .failure(.missingFile(path: path, needed: needed))
    }
    let keys = MasterKeys(MasterKeySource.newKey())
    let draft: String
    do throws(StartError) {
      draft = try MasterKeySource.draft(keys, for: path)
    } catch {
      return .failure(.unreadable(error.description))
    }
    let joined: Result<MasterKeys, MasterKeyProblem>
    do {
      joined = try join(keys, source, store, sharing)
    } catch {
      _ = Kernel.unlink(draft)
      throw error
    }
    // Of several servers that start at the same time, one creates the key for all.
    if case .failure(let problem) = joined {
      _ = Kernel.unlink(draft)
      return .failure(.missingFile(path: path, needed: problem.keyIDs))
    }
    do throws(StartError) {
      try MasterKeySource.publish(draft, at: path)
    } catch {
      return .failure(.unreadable(error.description))
    }
    return joined
  }

  private static func join(
    _ keys: MasterKeys, _ source: MasterKeySource, _ store: Store, _ sharing: StoreSharing
  ) throws -> Result<MasterKeys, MasterKeyProblem> {
    guard let obstacle = try store.performNow(MasterKeyJoin(keys.proofs, sharing)) else {
      return .success(keys)
    }
    return .failure(MasterKeyProblem(obstacle, source))
  }

  /// Reloads the keys.
  ///
  /// When that fails, the previous keys stay in use.
  ///
  /// - Parameter changed: Called on any thread when new keys are in use.
  func reload(then changed: @escaping @Sendable () -> Void) {
    do throws(StartError) {
      guard let found = try source.read() else {
        if case .file(let path) = source {
          note(.missingFile(path: path, needed: problem?.keyIDs ?? []))
        }
        return
      }
      register(found) { if case .success = $0 { changed() } }
    } catch {
      note(.unreadable(error.description))
    }
  }

  /// Reloads the keys repeatedly, with pauses, until they can be used.
  ///
  /// - Parameter changed: Called on any thread when the keys can be used.
  func watch(then changed: @escaping @Sendable () -> Void) { watch(after: 1, then: changed) }

  private func watch(after failures: Int, then changed: @escaping @Sendable () -> Void) {
    guard problem != nil else { return }
    let pause = Self.backoff.wait(after: failures, random: .random(in: 0 ... .max))
    queue.asyncAfter(deadline: .now() + .milliseconds(Int(pause))) { [weak self] in
      guard let self, problem != nil else { return }
      reload(then: changed)
      watch(after: failures + 1, then: changed)
    }
  }

  /// Records why reloaded keys cannot be used, and logs the reason unless it is already known.
  private func note(_ problem: MasterKeyProblem) {
    let isKnown = keys.withLock { keys in
      guard case .failure(let known) = keys else { return false }
      keys = .failure(problem)
      return known == problem
    }
    if !isKnown { log(problem) }
  }

  private func log(_ problem: MasterKeyProblem) {
    logger.error(
      current == nil
        ? "this server lacks the master keys of its deployment: it serves everything except encrypted files"
        : "the master keys of files cannot be used; the previous ones stay in force",
      metadata: ["reason": "\(problem)"])
  }

  /// Registers keys with the deployment, and uses them from now on.
  private func register(
    _ found: MasterKeys, then next: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) {
    store.perform(MasterKeyJoin(found.proofs, sharing)) { [self] result in
      switch result.serviceResult {
      case .success(nil):
        let isNews = problem != nil
        keys.withLock { $0 = .success(found) }
        if isNews { logger.notice("this server has the master keys of its deployment") }
        next(.success(()))
      case .success(let obstacle?):
        let problem = MasterKeyProblem(obstacle, source)
        note(problem)
        next(.failure(problem.refusal))
      case .failure(let error):
        logger.error(
          "the master keys of files were not read again: the store failed",
          metadata: ["reason": "\(error)"])
        next(.failure(error))
      }
    }
  }

  /// Makes a new key current, first in the key file.
  ///
  /// - Parameter completion: Called on any thread.
  /// - Throws: 400920 when this server may not change the keys, 400203 when there are too many keys.
  func rotate(
    then completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) throws(ServiceError) {
    if let problem { throw problem.refusal }
    guard sharing == .alone, case .file(let path) = source else {
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
        try MasterKeySource.publish(try MasterKeySource.draft(rotated, for: path), at: path)
        register(rotated) { [self] result in
          isRotating.store(false, ordering: .releasing)
          completion(result)
        }
      } catch {
        isRotating.store(false, ordering: .releasing)
        note(.unreadable("\(error)"))
        completion(.failure(.internalError))
      }
    }
  }
}

extension MasterKeys {
  /// The proofs of all keys, the current one first.
  var proofs: [MasterKeyProof] { all.map(\.proof) }
}

extension MasterKey {
  fileprivate var proof: MasterKeyProof {
    MasterKeyProof(keyID: id, proof: key.derived(for: "parley master key proof").bytes)
  }
}
