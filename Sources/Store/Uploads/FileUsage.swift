/// The number of all files, and their bytes with those of their thumbnails.
package struct FileUsage: Sendable, Hashable {
  package var count: Int
  package var byteCount: Int64

  package init(count: Int, byteCount: Int64) {
    self.count = count
    self.byteCount = byteCount
  }
}

/// Counts all files, of a user or of everyone.
package struct FileUsageLookup: StoreLookup {
  package var userID: String?

  package init(of userID: String? = nil) { self.userID = userID }

  package var statements: ReadStatements<FileUsage> {
    .init { try $0.fileUsage(of: userID) }
  }
}

/// Counts the bytes of all files, and of uploads that are not complete.
///
/// An upload that a request writes to counts as a whole, another one with what has come.
package struct StoredByteCountLookup: StoreLookup {
  /// Unix milliseconds.
  package var time: Int64

  package init(at time: Int64) { self.time = time }

  package var statements: ReadStatements<Int64> {
    .init { transaction in
      let coming = try transaction.connection.first(
        """
        SELECT CAST(coalesce(sum(CASE WHEN claimed_until > ? THEN size ELSE durable_bytes END), 0)
          AS bigint)
        FROM uploads WHERE stage = 'open'
        """, [time]
      ) { $0[0] as Int64 }
      return try transaction.fileUsage(of: nil).byteCount + (coming ?? 0)
    }
  }
}

extension StoreTransaction {
  fileprivate func fileUsage(of userID: String?) throws -> FileUsage {
    var condition = Condition()
    if let userID { condition.require("user_id = ? AND user_id <> ''", [userID]) }
    let filter: StoreStatement = condition.isEmpty ? "" : "WHERE \(condition.sql)"
    let thumbnails = try thumbnailByteCount(of: userID)
    return try connection.first(
      "SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint) FROM files \(filter)",
      condition.arguments
    ) { FileUsage(count: $0[0], byteCount: $0[1] + thumbnails) }
      ?? FileUsage(count: 0, byteCount: 0)
  }
}
