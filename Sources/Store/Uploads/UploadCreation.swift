import Channels
package import Uploads

/// An upload to be made.
package struct NewUpload: Sendable, Hashable {
  package var record: UploadRecord
  /// The SHA-256 of the secret in its address.
  package var secretHash: [UInt8]
  /// The secret itself, sealed, for repetitions of the request; `nil` for a request without a name.
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

/// The bounds on the uploads of one user; 0 is none.
package struct UploadLimits: Sendable, Hashable {
  /// Unfinished ones.
  package var unfinished: Int
  package var perSecond: Int
  package var perMinute: Int
  /// Bytes of the files that are kept, and of those that are coming.
  package var byteCount: Int64

  package init(unfinished: Int, perSecond: Int, perMinute: Int, byteCount: Int64) {
    self.unfinished = unfinished
    self.perSecond = perSecond
    self.perMinute = perMinute
    self.byteCount = byteCount
  }
}

/// Makes an upload, unless the user has too many.
///
/// A request that is repeated within ten minutes by its name finds the first one.
package struct UploadCreation: StoreWrite {
  package enum Outcome: Sendable, Hashable {
    case created
    /// The upload that the request made before, with its sealed secret.
    case repeated(UploadRecord, sealedSecret: [UInt8])
    /// There is no such user, or it is deactivated.
    case inactive
    /// There are as many unfinished ones as may be.
    case full
    /// The user has created as many as may be in a window.
    case late(retryAfter: Int64, limit: Int, window: Int64)
    /// The user's files would hold too many bytes.
    case overQuota
  }

  package var upload: NewUpload
  package var limits: UploadLimits

  package init(_ upload: NewUpload, limits: UploadLimits) {
    self.upload = upload
    self.limits = limits
  }

  package var statements: WriteStatements<Outcome> {
    .init { try $0.create(upload, limits) }
  }
}

extension WriteTransaction {
  fileprivate func create(
    _ upload: NewUpload, _ limits: UploadLimits
  ) throws -> UploadCreation.Outcome {
    let (record, now) = (upload.record, upload.record.createdAt)
    guard try account(record.userID)?.isActive == true else { return .inactive }
    if let first = try repeated(upload) { return first }
    if let late = try lateness(of: record.userID, limits, at: now) { return late }
    let open = try connection.first(
      """
      SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint) FROM uploads \(.index("uploads_by_user"))
      WHERE user_id = ? AND stage = 'open' AND expires_at > ?
      """, [record.userID, now]
    ) { (count: $0[0] as Int, byteCount: $0[1] as Int64) }
    if limits.unfinished > 0, (open?.count ?? 0) >= limits.unfinished { return .full }
    if limits.byteCount > 0 {
      let kept = try connection.first(
        "SELECT CAST(coalesce(sum(size), 0) AS bigint) FROM files WHERE user_id = ? AND user_id <> ''",
        [record.userID]
      ) { $0[0] as Int64 }
      guard (open?.byteCount ?? 0) + (kept ?? 0) + record.size <= limits.byteCount else {
        return .overQuota
      }
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

  /// The refusal of a user who has created many lately.
  private func lateness(
    of userID: String, _ limits: UploadLimits, at now: Int64
  ) throws -> UploadCreation.Outcome? {
    for (limit, window) in [(limits.perSecond, 1_000), (limits.perMinute, 60_000)] as [(Int, Int64)]
    where limit > 0 {
      // The one that must leave the window before there is room for another.
      let oldest = try connection.first(
        """
        SELECT created_at FROM uploads \(.index("uploads_by_user"))
        WHERE user_id = ? AND created_at > ? ORDER BY created_at DESC LIMIT 1 OFFSET ?
        """, [userID, now - window, limit - 1]
      ) { $0[0] as Int64 }
      if let oldest {
        return .late(retryAfter: max(1, oldest + window - now), limit: limit, window: window)
      }
    }
    return nil
  }

  private func insert(_ upload: NewUpload) throws {
    let record = upload.record
    try connection.execute(
      """
      INSERT INTO uploads (file_id, secret_hash, sealed_secret, user_id, stage, name, type, size,
        created_at, expires_at, base, req_id, message, key_id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        record.fileID, upload.secretHash, upload.sealedSecret, record.userID,
        record.stage.rawValue, record.name, record.type, record.size, record.createdAt,
        record.expiresAt, record.base, upload.requestID, record.message,
        record.seal?.masterKeyID,
      ])
  }
}
