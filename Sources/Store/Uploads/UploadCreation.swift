import Channels
import ParleyProtocol
package import Uploads

/// An upload to create.
package struct NewUpload: Sendable, Hashable {
  package var record: UploadRecord
  /// The SHA-256 of the secret in its address.
  package var secretHash: [UInt8]
  /// The secret itself, encrypted, for repetitions of the request; `nil` for a request without a name.
  package var sealedSecret: [UInt8]?
  /// The name that the user gave the request.
  package var requestID: String?

  package init(
    _ record: UploadRecord, secretHash: [UInt8], sealedSecret: [UInt8]? = nil,
    requestID: String? = nil
  ) {
    self.record = record
    self.secretHash = secretHash
    self.sealedSecret = sealedSecret
    self.requestID = requestID
  }
}

/// The limits on the uploads of one user; 0 means no limit.
package struct UploadLimits: Sendable, Hashable {
  /// Maximum number of unfinished uploads.
  package var unfinished: Int
  package var perSecond: Int
  package var perMinute: Int
  /// Maximum number of bytes of stored files and of those being received.
  package var byteCount: Int64

  package init(unfinished: Int, perSecond: Int, perMinute: Int, byteCount: Int64) {
    self.unfinished = unfinished
    self.perSecond = perSecond
    self.perMinute = perMinute
    self.byteCount = byteCount
  }

  /// The limits on creations, with their windows in milliseconds.
  fileprivate var windows: [(limit: Int, window: Int64)] {
    [(perSecond, 1_000), (perMinute, 60_000)].filter { $0.limit > 0 }
  }
}

/// The size of a user's files that are older than a given time.
///
/// They are counted by ``Store/countFiles(of:before:for:completion:)`` before the write, which then only
/// counts the later files.
package struct OlderFiles: Sendable, Hashable {
  package var byteCount: Int64
  /// Unix milliseconds.
  package var moment: Int64

  package init(byteCount: Int64, before moment: Int64) {
    self.byteCount = byteCount
    self.moment = moment
  }

  /// Nothing was counted: the write counts all files.
  package static let none = OlderFiles(byteCount: 0, before: 0)
}

/// Creates an upload, unless the user has too many.
///
/// A request repeated under the same name within ten minutes returns the first upload.
package struct UploadCreation: StoreWrite {
  package enum Outcome: Sendable, Hashable {
    case created
    /// The upload that the request created before, with its encrypted secret.
    case repeated(UploadRecord, sealedSecret: [UInt8])
    /// The user does not exist or is deactivated.
    case inactive
    /// The limit of unfinished uploads is reached.
    case full
    /// The limit of creations in a window is reached.
    case late(retryAfter: Int64, limit: Int, window: Int64)
    /// The user's files would exceed the limit of bytes.
    case overQuota
  }

  package var upload: NewUpload
  package var limits: UploadLimits
  package var olderFiles: OlderFiles

  package init(_ upload: NewUpload, limits: UploadLimits, olderFiles: OlderFiles = .none) {
    self.upload = upload
    self.limits = limits
    self.olderFiles = olderFiles
  }

  package var statements: WriteStatements<Outcome> {
    .init { try $0.create(upload, limits, olderFiles) }
  }
}

extension WriteTransaction {
  fileprivate func create(
    _ upload: NewUpload, _ limits: UploadLimits, _ olderFiles: OlderFiles
  ) throws -> UploadCreation.Outcome {
    let (record, now) = (upload.record, upload.record.createdAt)
    guard try account(record.userID)?.isActive == true else { return .inactive }
    if let first = try repeated(upload) { return first }
    if let late = try lateness(of: record.userID, limits, at: now) { return late }
    let open = try openUploads(of: record.userID, at: now)
    if limits.unfinished > 0, open.count >= limits.unfinished { return .full }
    if limits.byteCount > 0 {
      let kept = try keptByteCount(of: record.userID, olderFiles)
      guard open.byteCount + kept + record.size <= limits.byteCount else { return .overQuota }
    }
    try insert(upload)
    return .created
  }

  private func repeated(_ upload: NewUpload) throws -> UploadCreation.Outcome? {
    guard let name = upload.requestID else { return nil }
    let since = upload.record.createdAt - requestIDLifetimeMilliseconds
    let found = try connection.first(
      """
      SELECT file_id, sealed_secret FROM uploads \(.index("uploads_by_user"))
      WHERE user_id = ? AND created_at > ? AND req_id = ? AND sealed_secret IS NOT NULL
      ORDER BY created_at DESC LIMIT 1
      """, [upload.record.userID, since, name]
    ) { (id: $0[0] as String, sealed: $0[1] as [UInt8]) }
    guard let found, let record = try self.upload(found.id) else { return nil }
    return .repeated(record, sealedSecret: found.sealed)
  }

  /// The refusal of a user who has created too many uploads recently.
  private func lateness(
    of userID: String, _ limits: UploadLimits, at now: Int64
  ) throws -> UploadCreation.Outcome? {
    for (limit, window) in limits.windows {
      if let wait = try uploadWait(of: userID, limit, in: window, at: now) {
        return .late(retryAfter: wait, limit: limit, window: window)
      }
    }
    return nil
  }

  private func insert(_ upload: NewUpload) throws {
    let record = upload.record
    try connection.execute(
      """
      INSERT INTO uploads (file_id, secret_hash, sealed_secret, user_id, stage, name, type, size,
        created_at, expires_at, base, req_id, message, key_id, thumbnail_sizes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        record.fileID, upload.secretHash, upload.sealedSecret, record.userID,
        record.stage.rawValue, record.name, record.type, record.size, record.createdAt,
        record.expiresAt, record.base, upload.requestID, record.message,
        record.seal?.masterKeyID,
        record.thumbnailSizes.isEmpty ? nil : record.thumbnailSizes.list,
      ])
  }
}

extension StoreTransaction {
  fileprivate func openUploads(
    of userID: String, at now: Int64
  ) throws -> (count: Int, byteCount: Int64) {
    try connection.first(
      """
      SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint) FROM uploads
      \(.index("uploads_by_open_user"))
      WHERE user_id = ? AND stage = 'open' AND expires_at > ?
      """, [userID, now]
    ) { (count: $0[0] as Int, byteCount: $0[1] as Int64) } ?? (0, 0)
  }

  /// The total size of a user's files including thumbnails.
  fileprivate func keptByteCount(
    of userID: String, _ olderFiles: OlderFiles
  ) throws -> Int64 {
    let later = try connection.first(
      """
      SELECT CAST(coalesce(sum(\(.fileByteCount)), 0) AS bigint) FROM files
      \(.index("files_by_user")) WHERE user_id = ? AND user_id <> '' AND created_at >= ?
      """, [userID, olderFiles.moment]
    ) { $0[0] as Int64 }
    return olderFiles.byteCount + (later ?? 0)
  }

  /// Milliseconds until a user may create another upload; `nil` when it may do so now.
  fileprivate func uploadWait(
    of userID: String, _ limit: Int, in window: Int64, at now: Int64
  ) throws -> Int64? {
    // The upload that must leave the window before another may be created. Uploads with times in the
    // future, from before the clock was set back, are not counted.
    let oldest = try connection.first(
      """
      SELECT created_at FROM uploads \(.index("uploads_by_user"))
      WHERE user_id = ? AND created_at > ? AND created_at <= ?
      ORDER BY created_at DESC LIMIT 1 OFFSET ?
      """, [userID, now - window, now + window, limit - 1]
    ) { $0[0] as Int64 }
    return oldest.map { max(1, $0 + window - now) }
  }
}

/// Reads a user's usage of the limits on uploads.
package struct UploadStanding: StoreLookup {
  package struct Outcome: Sendable, Hashable {
    package var openCount: Int
    /// Total size of stored files and of those being received.
    package var byteCount: Int64
    /// The limit on creations that would refuse another one now.
    package var late: Lateness?
  }

  package struct Lateness: Sendable, Hashable {
    package var retryAfter: Int64
    package var limit: Int
    package var window: Int64
  }

  package var userID: String
  package var limits: UploadLimits
  package var olderFiles: OlderFiles
  /// Unix milliseconds.
  package var time: Int64

  package init(
    _ userID: String, _ limits: UploadLimits, olderFiles: OlderFiles = .none, at time: Int64
  ) {
    self.userID = userID
    self.limits = limits
    self.olderFiles = olderFiles
    self.time = time
  }

  package var statements: ReadStatements<Outcome> {
    .init { transaction in
      let open = try transaction.openUploads(of: userID, at: time)
      var late: Lateness?
      for (limit, window) in limits.windows where late == nil {
        late = try transaction.uploadWait(of: userID, limit, in: window, at: time).map {
          Lateness(retryAfter: $0, limit: limit, window: window)
        }
      }
      return Outcome(
        openCount: open.count,
        byteCount: try open.byteCount + transaction.keptByteCount(of: userID, olderFiles),
        late: late)
    }
  }
}
