import Channels
package import Uploads

/// Cancels an incomplete upload, and removes the bytes received.
package struct UploadCancellation: StoreWrite {
  package enum Outcome: Sendable, Hashable {
    case cancelled
    /// The upload had ended before, and is unchanged.
    case over(UploadStatus)
    case absent
  }

  package var fileID: String
  /// Unix milliseconds.
  package var time: Int64

  package init(_ fileID: String, at time: Int64) {
    self.fileID = fileID
    self.time = time
  }

  package var statements: WriteStatements<Outcome> {
    .init { transaction in
      // Another server may be completing it: the row's content at the time of the write decides.
      let count = try transaction.connection.change(
        """
        UPDATE uploads SET stage = 'cancelled', claimed_until = 0, sealed_tail = NULL
        WHERE file_id = ? AND stage = 'open' AND expires_at > ?
        """, [fileID, time])
      guard count == 0 else {
        try transaction.removeFiles([fileID])
        return .cancelled
      }
      guard let record = try transaction.upload(fileID) else { return .absent }
      return .over(record.status(at: time))
    }
  }
}

/// Removes a complete file that no message or picture uses.
package struct UnusedFileRemoval: StoreWrite {
  package enum Outcome: Sendable, Hashable {
    case removed
    case inUse
    case absent
  }

  package var fileID: String

  package init(_ fileID: String) { self.fileID = fileID }

  package var statements: WriteStatements<Outcome> {
    .init { transaction in
      guard try transaction.holdFile(fileID) else { return .absent }
      guard try !transaction.isFileHeld(fileID) else { return .inUse }
      try transaction.expire(fileID)
      return .removed
    }
  }
}

/// Removes expired uploads and files, and requests that ended long ago, some at a time.
///
/// A record outlives its upload by a day, so that requests to its address are answered as gone.
package struct UploadSweep: StoreWrite {
  package struct Outcome: Sendable, Hashable {
    /// Incomplete uploads, and files that no message has.
    package var removedCount: Int
    package var hasMore: Bool
  }

  /// The time for which the record of an ended upload is kept, in milliseconds.
  private static let recordLifetime: Int64 = 86_400_000

  /// Unix milliseconds.
  package var time: Int64
  /// Unix milliseconds: uploads and files that have expired by then are removed.
  package var horizon: Int64
  package var limit: Int

  /// - Parameter horizon: The time by which the removed uploads have expired; `nil` for `time`. With 0,
  ///   only permanently ended uploads are removed.
  package init(at time: Int64, expiredBy horizon: Int64? = nil, limit: Int = 100) {
    self.time = time
    self.horizon = horizon ?? time
    self.limit = limit
  }

  package var statements: WriteStatements<Outcome> {
    .init { transaction in
      var removedCount = 0
      let connection = transaction.connection
      let due = try connection.all(
        """
        SELECT file_id, stage FROM uploads \(.index("uploads_by_expiry"))
        WHERE expires_at <= ? ORDER BY expires_at LIMIT ?
        """, [horizon, limit]
      ) { (id: $0[0] as String, stage: $0[1] as String) }
      for (id, stage) in due {
        switch UploadRecord.Stage(rawValue: stage) {
        case .open:
          guard try transaction.expireOpen(id, at: horizon) else { continue }
          removedCount += 1
        case .complete:
          _ = try transaction.holdFile(id)
          guard try transaction.isFileHeld(id) else {
            try transaction.expire(id)
            removedCount += 1
            break
          }
          try connection.execute("DELETE FROM uploads WHERE file_id = ?", [id])
          continue
        case .cancelled, .expired, nil:
          try transaction.forget(id)
          continue
        }
        try connection.execute(
          "UPDATE uploads SET expires_at = ? WHERE file_id = ?", [time + Self.recordLifetime, id])
      }
      let secrets = try connection.change(
        """
        UPDATE uploads SET sealed_secret = NULL WHERE file_id IN
          (SELECT file_id FROM uploads WHERE sealed_secret IS NOT NULL AND created_at <= ?
           ORDER BY created_at LIMIT ?)
        """, [horizon - requestIDLifetimeMilliseconds, limit])
      let requests = try transaction.removeEndedLongRequests(at: horizon, limit: limit)
      // They include pictures that were replaced.
      connection.mayHaveRemains = true
      return Outcome(
        removedCount: removedCount,
        hasMore: due.count == limit || secrets == limit || requests >= limit)
    }
  }
}

extension WriteTransaction {
  /// Ends the uploads of a user being deleted; the sweep removes the bytes received.
  func expireUploads(of userID: String) throws {
    try connection.execute("UPDATE uploads SET expires_at = 0 WHERE user_id = ?", [userID])
  }

  /// Permanently ends the incomplete uploads of a user; the sweep removes the bytes received.
  func expireOpenUploads(of userID: String) throws {
    try connection.execute(
      """
      UPDATE uploads SET expires_at = 0, sealed_tail = NULL WHERE user_id = ? AND stage = 'open'
      """, [userID])
  }

  /// Locks a file's row until the transaction ends: a message that another server is adding with the
  /// file is waited for, so that ``isFileHeld(_:)`` finds it.
  ///
  /// - Returns: Whether the file exists.
  fileprivate func holdFile(_ id: String) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM files WHERE file_id = ? \(.forUpdate)", [id]
    ) { _ in true } ?? false
  }

  /// Ends an incomplete upload, unless another server has completed it in the meantime.
  ///
  /// - Returns: Whether the upload has ended.
  fileprivate func expireOpen(_ fileID: String, at time: Int64) throws -> Bool {
    let count = try connection.change(
      """
      UPDATE uploads SET stage = 'expired', claimed_until = 0, sealed_tail = NULL
      WHERE file_id = ? AND stage = 'open' AND expires_at <= ?
      """, [fileID, time])
    if count > 0 { try removeFiles([fileID]) }
    return count > 0
  }

  /// Removes the record of an ended upload.
  ///
  /// A row of the file may exist too: earlier versions cancelled an upload while it was being completed.
  fileprivate func forget(_ fileID: String) throws {
    try connection.execute("DELETE FROM uploads WHERE file_id = ?", [fileID])
    guard try !isFileHeld(fileID) else { return }
    try connection.execute("DELETE FROM files WHERE file_id = ?", [fileID])
  }

  fileprivate func expire(_ fileID: String) throws {
    try connection.execute(
      "UPDATE uploads SET stage = 'expired', claimed_until = 0, sealed_tail = NULL WHERE file_id = ?",
      [fileID])
    try connection.execute("DELETE FROM files WHERE file_id = ?", [fileID])
    try removeFiles([fileID])
  }
}

extension StoreTransaction {
  /// Whether a message or a picture uses a file.
  func isFileHeld(_ id: String) throws -> Bool {
    try connection.first(
      """
      SELECT 1 FROM file_messages WHERE file_id = ?1
      UNION ALL SELECT 1 FROM file_pictures WHERE file_id = ?1 LIMIT 1
      """, [id]
    ) { _ in true } ?? false
  }
}
