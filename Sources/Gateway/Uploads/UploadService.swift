import Channels
import Configuration
import Crypto
import Logging
import ParleyProtocol
import Reactor
import Store
import Synchronization
import Transport
import Uploads

/// The uploads of users on this server: creates them, tracks the requests that write, and sweeps.
final class UploadService: Sendable {
  private let store: Store
  let vault: FileVault
  private let inForce: Mutex<LimitSettings>
  let publicURL: String?
  private let clock: DeploymentClock
  private let hold: DeletionHold
  private let logger: Logger
  /// The key that seals secrets; not in the store.
  private let key: [UInt8]
  /// The room below `limits.files_disk_bytes`, including files from forms.
  let room: FileRoom
  /// The rate of creations per user, including refused ones, each of which costs the writer time.
  ///
  /// Within the burst, the store refuses creations, with the exact wait.
  private let attempts: UserRates
  let writers = UploadWriters()
  /// The last upload whose message was sent again; empty to start over with the next sweep.
  private let lastUnsent = Mutex("")
  let counters = UploadCounters()

  init(
    _ settings: Settings, store: Store, vault: FileVault, key: [UInt8], clock: DeploymentClock,
    hold: DeletionHold, logger: Logger
  ) {
    (self.hold, self.logger) = (hold, logger)
    inForce = Mutex(settings.limits)
    publicURL = settings.files.publicURL
    self.store = store
    self.vault = vault
    self.key = key
    self.clock = clock
    let limit = settings.limits.uploadsPerSecond
    attempts = UserRates(perSecond: limit, burst: 2 * limit)
    room = FileRoom(limit: settings.limits.filesDiskBytes) { comingHere, completion in
      // Uploads that complete during the count are counted twice, rather than not at all.
      let coming = ComingByteCountLookup(
        at: clock.now, here: comingHere(), reserving: FileRoom.step)
      store.perform(coming) { result in
        guard case .success(let coming) = result else { return completion(nil) }
        store.countFiles(for: .server) { result, _ in
          guard case .success(let files) = result else { return completion(nil) }
          completion(files.byteCount + coming)
        }
      }
    }
  }

  /// The limits of the settings in force.
  private var limits: LimitSettings { inForce.withLock { $0 } }

  /// Adopts reloaded settings.
  func adopt(_ limits: LimitSettings) {
    inForce.withLock { $0 = limits }
    attempts.adopt(perSecond: limits.uploadsPerSecond, burst: 2 * limits.uploadsPerSecond)
    room.adopt(limit: limits.filesDiskBytes)
  }

  /// Whether users may upload files.
  var isOn: Bool { limits.fileBytes > 0 }

  /// The base of the addresses of all files; `nil` when each upload names its own.
  var base: String? { publicURL.map(FileAddress.base(ofPublicURL:)) }

  func view(_ record: UploadRecord) -> UploadView {
    UploadView(record: record, time: clock.now, publicURL: publicURL)
  }

  // MARK: Creation

  /// A new upload with its address.
  struct Creation: Sendable {
    let record: UploadRecord
    let url: String
    let secretHash: [UInt8]

    fileprivate init(_ record: UploadRecord, _ secret: UploadSecret, at address: FileAddress) {
      self.record = record
      url = address.shownBase + Routes.upload.path(secret.text)
      secretHash = secret.hash
    }

    /// The result of `file.create`.
    func encoded(_ view: UploadView) -> [UInt8] {
      JSONWriter.bytes {
        $0.object {
          $0.name("file")
          view.encode(into: &$0)
          $0.member("upload_url", url)
        }
      }
    }
  }

  /// Creates an upload for a user.
  ///
  /// On any thread.
  ///
  /// - Parameter completion: Called on a thread of the store, or immediately.
  func create(
    _ request: FileCreate, for userID: String, at address: FileAddress,
    completion: @escaping @Sendable (Result<Creation, ServiceError>) -> Void
  ) {
    do throws(ServiceError) { try admit(request, of: userID) } catch {
      return completion(.failure(error))
    }
    createAdmitted(request, for: userID, at: address, completion: completion)
  }

  /// Checks what can be checked without the store, and counts the attempt.
  func admit(_ request: FileCreate, of userID: String) throws(ServiceError) {
    try admitAttempt(of: userID)
    try check(request)
  }

  /// Creates an upload that was admitted.
  func createAdmitted(
    _ request: FileCreate, for userID: String, at address: FileAddress,
    completion: @escaping @Sendable (Result<Creation, ServiceError>) -> Void
  ) {
    let mustSeal: Bool
    do throws(ServiceError) {
      let wish = request.requiresAuthorization
      mustSeal =
        try request.message == nil ? vault.mustSeal(wish) : vault.mustSealForMessage(wish)
    } catch {
      return completion(.failure(error))
    }
    let now = clock.now
    let secret = UploadSecret()
    let record = UploadRecord(
      fileID: FileID.make(), userID: userID, name: FileName(request.name).text,
      type: request.type, size: request.size, createdAt: now,
      expiresAt: now + limits.uploadRetentionSeconds * 1_000, base: address.storedBase,
      message: request.message, seal: mustSeal ? UploadSeal() : nil,
      thumbnailSizes: request.thumbnailSizes)
    let sealed = request.requestID.flatMap { _ in secret.sealed(fileID: record.fileID, key: key) }
    let upload = NewUpload(
      record, secretHash: secret.hash, sealedSecret: sealed, requestID: request.requestID)
    let limits = UploadLimits(limits)
    guard limits.byteCount > 0 else {
      return create(upload, UploadCreation(upload, limits: limits), secret, address, completion)
    }
    countOlderFiles(of: userID) { [self] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let older):
        let creation = UploadCreation(upload, limits: limits, olderFiles: older)
        create(upload, creation, secret, address, completion)
      }
    }
  }

  private func create(
    _ upload: NewUpload, _ creation: UploadCreation, _ secret: UploadSecret,
    _ address: FileAddress,
    _ completion: @escaping @Sendable (Result<Creation, ServiceError>) -> Void
  ) {
    let (record, userID) = (upload.record, upload.record.userID)
    store.perform(creation) { [self] result in
      completion(
        result.serviceResult.flatMap { outcome in
          switch outcome {
          case .created:
            counters.add(.created)
            return .success(Creation(record, secret, at: address))
          case .repeated(let first, let sealed):
            guard first.status(at: clock.now) != .expired else {
              return .failure(.notFound(.file, first.fileID))
            }
            guard let secret = UploadSecret(sealed: sealed, fileID: first.fileID, key: key) else {
              return .failure(.internalError)
            }
            return .success(Creation(first, secret, at: address))
          case .inactive: return .failure(.deactivated(userID))
          case .full: return .failure(.tooManyUploads(limits.uploadsPerUser))
          case .late(let wait, let limit, let window):
            return .failure(
              .rateLimited(retryAfter: wait, limit: limit, window: window, scope: "uploads"))
          case .overQuota: return .failure(.tooManyFileBytes(limits.userFileBytes))
          }
        })
    }
  }

  private func admitAttempt(of userID: String) throws(ServiceError) {
    guard let wait = attempts.admit(userID, at: SystemClock.monotonicMilliseconds) else { return }
    throw .rateLimited(
      retryAfter: wait, limit: limits.uploadsPerSecond, window: 1_000, scope: "uploads")
  }

  /// Counts the files of a user with a query, because there may be many.
  ///
  /// The store itself counts those of the last minute, where nothing may happen in between.
  private func countOlderFiles(
    of userID: String, completion: @escaping @Sendable (Result<OlderFiles, ServiceError>) -> Void
  ) {
    let moment = clock.now - 60_000
    store.countFiles(of: userID, before: moment, for: .user(userID)) { result, _ in
      completion(
        result.serviceResult.map { OlderFiles(byteCount: $0.byteCount, before: moment) })
    }
  }

  private func check(_ request: FileCreate) throws(ServiceError) {
    guard isOn else {
      throw .uploadsAreOff
    }
    guard request.size <= Int64(limits.fileBytes) else {
      throw .fileTooLarge(limit: limits.fileBytes)
    }
  }

  /// Checks how much of the limits a user's uploads use.
  ///
  /// - Parameter completion: Called on a thread of the store.
  func outlook(
    of userID: String, completion: @escaping @Sendable (Result<UploadOutlook, ServiceError>) -> Void
  ) {
    let limits = limits
    countOlderFiles(of: userID) { [store, clock] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let older):
        let standing = UploadStanding(
          userID, UploadLimits(limits), olderFiles: older, at: clock.now)
        store.perform(standing) { result in
          completion(result.serviceResult.map { UploadOutlook(limits: limits, standing: $0) })
        }
      }
    }
  }

  /// Cancels an upload that is not complete.
  ///
  /// - Parameter completion: Called on a thread of the store.
  func cancel(
    _ fileID: String,
    completion: @escaping @Sendable (Result<UploadCancellation.Outcome, ServiceError>) -> Void
  ) {
    store.perform(UploadCancellation(fileID, at: clock.now)) { [self] result in
      if case .success(.cancelled) = result {
        writers.cancel(fileID)
        counters.add(.cancelled)
      }
      completion(result.serviceResult)
    }
  }

  // MARK: Sweeping

  /// Ends the claims of the previous process on a single server, and starts the count of files, for
  /// which the first files wait.
  ///
  /// Waits for the claims to end, because they would refuse the first requests. When they cannot be
  /// ended, for example on a full disk, they expire by themselves.
  func start(isAlone: Bool) {
    if isAlone { _ = try? store.performNow(UploadRelease()) }
    room.whenCounted {}
  }

  /// Removes expired uploads, and sends messages that an earlier process did not send.
  ///
  /// While the clock is not trusted, only uploads that have permanently ended are removed.
  ///
  /// - Parameter removedCount: The number of uploads already removed in this pass.
  func sweep(
    after removedCount: Int = 0, sendingUnsent send: @escaping @Sendable ([UploadRecord]) -> Void
  ) {
    let age = limits.uploadRetentionSeconds * 1_000
    let now = clock.moment
    let isHeld = hold.rest(forAge: age, at: now) > 0
    let sweep = UploadSweep(at: now.unix, expiredBy: isHeld ? 0 : now.unix)
    store.perform(sweep) { [self] result in
      var removedCount = removedCount
      if case .success(let outcome) = result {
        removedCount += outcome.removedCount
        if outcome.hasMore { return self.sweep(after: removedCount, sendingUnsent: send) }
      }
      if removedCount > 0 {
        logger.info("removed expired uploads", metadata: ["uploads": "\(removedCount)"])
      }
      sendUnsent(send)
    }
  }

  /// Sends messages in turn, so that messages that fail repeatedly do not block others.
  private func sendUnsent(_ send: @escaping @Sendable ([UploadRecord]) -> Void) {
    let lookup = UnsentUploads(after: lastUnsent.withLock { $0 })
    store.perform(lookup) { [self] result in
      guard case .success(let records) = result else { return }
      let last = records.count < lookup.limit ? nil : records.last?.fileID
      lastUnsent.withLock { $0 = last ?? "" }
      if !records.isEmpty { send(records) }
    }
  }
}

extension UploadLimits {
  fileprivate init(_ limits: LimitSettings) {
    self.init(
      unfinished: limits.uploadsPerUser, perSecond: limits.uploadsPerSecond,
      perMinute: limits.uploadsPerMinute, byteCount: limits.userFileBytes)
  }
}
