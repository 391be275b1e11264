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
    .init { transaction in
      var condition = Condition()
      if let userID { condition.require("user_id = ? AND user_id <> ''", [userID]) }
      let filter: StoreStatement = condition.isEmpty ? "" : "WHERE \(condition.sql)"
      let thumbnails = try transaction.thumbnailByteCount(of: userID)
      return try transaction.connection.first(
        "SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint) FROM files \(filter)",
        condition.arguments
      ) { FileUsage(count: $0[0], byteCount: $0[1] + thumbnails) }
        ?? FileUsage(count: 0, byteCount: 0)
    }
  }
}
