import PostgreSQL
import SQLite

/// A read-only inspection of a store, whether a server uses it or not.
package struct StoreProbe: Sendable {
  /// The maximum number of files that are inspected.
  private static let fileLimit = 50

  /// The master keys known to the store, and those that its files need.
  package let masterKeys: MasterKeyUse
  /// The ids of some files of messages.
  package let files: [String]

  /// Inspects a store.
  ///
  /// - Returns: `nil` when there is no store yet, or one that the next start migrates first.
  /// - Throws: `StoreError` for a store that cannot be started.
  package init?(_ place: StorePlace) throws {
    let probe =
      switch place {
      case .directory(let path): try Self.ofFile(path + "/" + StoredFileNames.database)
      case .postgreSQL(let url): try Self.ofDatabase(url)
      }
    guard let probe else { return nil }
    self = probe
  }

  private static func ofFile(_ path: String) throws -> StoreProbe? {
    guard FileStatus(path) != nil else { return nil }
    do {
      let database = try Database(path: path, access: .readOnly)
      defer { database.close() }
      database.waitForLocks(milliseconds: 3_000)
      try Migrations.check(database, path: path)
      let tables = try database.number(
        "SELECT count(*) FROM sqlite_master WHERE name IN ('file_master_keys', 'file_messages')")
      guard tables == 2 else { return nil }
      return try StoreProbe(StoreConnection(SQLiteSession(database)))
    } catch let error as DatabaseError {
      throw StoreError.inaccessible(path: path, reason: error.message)
    }
  }

  private static func ofDatabase(_ url: String) throws -> StoreProbe? {
    do {
      let access = PostgreSQLAccess(url: url, role: .reader)
      let connection = try access.connect(after: nil)
      func has(_ table: String) throws -> Bool {
        try connection.execute("SELECT to_regclass($1) IS NOT NULL", [.text(table)])
          .integer(0, 0) == 1
      }
      guard try has("parley_schema") else { return nil }
      try PostgreSQLSchema.check(on: connection)
      guard try has("file_master_keys"), try has("file_messages") else { return nil }
      let session = PostgreSQLSession(access)
      defer { session.close() }
      return try StoreProbe(StoreConnection(session))
    } catch let error as PostgreSQLError {
      throw StoreError.inaccessible(path: "the database", reason: error.message)
    }
  }

  private init(_ connection: StoreConnection) throws {
    (masterKeys, files) = try connection.inSnapshot {
      (
        try MasterKeyUse(connection),
        try connection.all(
          "SELECT DISTINCT file_id FROM file_messages ORDER BY file_id LIMIT ?", [Self.fileLimit]
        ) { $0[0] as String }
      )
    }
  }
}
