import SQLite

/// Finds out at the start whether a file is a sound database of ours.
enum IntegrityCheck {
  /// "PRLY": marks the file as Parley's (the header's application id).
  static let applicationID = 0x50_52_4C_59

  /// Larger files are not read as a whole, so that a start stays quick.
  private static let fullCheckByteLimit = 64 << 20

  /// - Throws: `StoreError.damaged`, or a database error when the file cannot be read at all.
  static func run(on database: Database, path: String) throws {
    let isEmpty = try database.number("SELECT count(*) FROM sqlite_master") == 0
    let owner = try database.number("PRAGMA application_id")
    if isEmpty, owner == 0 {
      return try database.execute("PRAGMA application_id = \(applicationID)")
    }
    guard owner == applicationID else {
      throw StoreError.damaged(path: path, reason: "another application's database")
    }
    try checkPages(of: database, path: path)
  }

  private static func checkPages(of database: Database, path: String) throws {
    let pageCount = try database.number("PRAGMA page_count")
    let pageSize = try database.number("PRAGMA page_size")
    guard pageCount * pageSize <= fullCheckByteLimit else { return }
    let finding: String? = try database.value("PRAGMA quick_check(1)")
    guard finding == "ok" else {
      throw StoreError.damaged(path: path, reason: finding ?? "the check gave no answer")
    }
  }
}
