/// Finds out whether the disk takes writes again.
enum StorageProbe {
  /// Large enough that a disk with a few free blocks does not pass, fail and pass again.
  private static let byteCount = 65_536

  /// Writes and removes a record, each in a commit of its own.
  static func run(on connection: StoreConnection) throws {
    try connection.inTransaction {
      try connection.execute(
        "INSERT OR REPLACE INTO probe (id, body) VALUES (1, zeroblob(\(byteCount)))")
    }
    try connection.inTransaction { try connection.execute("DELETE FROM probe") }
  }
}
