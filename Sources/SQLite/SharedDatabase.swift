import Synchronization

/// A connection that several threads may hold, but only one at a time may use.
package final class SharedDatabase: Sendable {
  private let lock = Mutex(())
  /// Guarded by `lock`: a connection is for one thread at a time.
  nonisolated(unsafe) private let database: Database

  /// Opens a connection.
  ///
  /// - Throws: ``DatabaseError``.
  package init(
    path: String, access: Database.Access = .readAndWrite, logWrites: Database.LogWrites = .plain
  ) throws {
    database = try Database(path: path, access: access, logWrites: logWrites)
  }

  /// Uses the connection; other threads wait in the meantime.
  package func withDatabase<T>(_ body: (Database) throws -> T) rethrows -> T {
    try lock.withLock { _ in try body(database) }
  }

  /// Uses the connection in a transaction; when the body throws, the transaction is rolled back.
  package func inTransaction<T>(_ body: (Database) throws -> T) throws -> T {
    try withDatabase { database in try database.inTransaction { try body(database) } }
  }

  /// Closes the connection; it must not be used afterwards.
  package func close() {
    withDatabase { $0.close() }
  }
}
