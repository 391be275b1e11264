import Reactor
import SQLite

/// Rewrites a SQLite database so that nothing of removed rows is left in its files.
///
/// A removed row leaves its bytes in the database file, its log and the index of search until they are
/// used for something else.
package enum StoreVacuum {
  /// The sizes of the database file before and after, in bytes.
  package struct Report: Sendable, Hashable {
    package var before: Int64
    package var after: Int64
  }

  /// Rewrites the database of a data directory that no server uses.
  ///
  /// - Throws: `StoreError`, also while a server uses the directory, and for PostgreSQL, which has means of
  ///   its own.
  package static func run(in place: StorePlace) throws -> Report {
    switch place {
    case .directory(let path): return try run(inDirectory: path)
    case .postgreSQL:
      throw StoreError.inaccessible(
        path: "the database", reason: "it is in PostgreSQL: use VACUUM FULL there")
    }
  }

  private static func run(inDirectory directory: String) throws -> Report {
    let path = directory + "/" + StoredFileNames.database
    guard let before = FileStatus(path)?.byteCount else {
      throw StoreError.inaccessible(path: path, reason: "it does not exist")
    }
    let lock = try DirectoryLock(directory: directory)
    defer { lock.release() }
    do {
      let database = try Database(path: path)
      defer { database.close() }
      try Migrations.check(database, path: path)
      try SearchSchema.addFunction(to: database)
      // Removed words stay in parts of the index until the parts are merged.
      try database.execute("INSERT INTO search (search) VALUES ('optimize')")
      try database.execute(script: "VACUUM")
      database.checkpoint()
    } catch let error as DatabaseError {
      throw StoreError.inaccessible(path: path, reason: error.message)
    }
    return Report(before: before, after: FileStatus(path)?.byteCount ?? 0)
  }
}
