import SQLite

/// A conversation with a database: all that ``StoreConnection`` asks of one.
///
/// Another database brings a session of its own. Confined to its thread.
protocol StoreSession: AnyObject {
  /// Whether a transaction has begun and not ended; some errors end it by themselves.
  var isInTransaction: Bool { get }

  /// Begins a transaction that writes.
  func begin() throws

  /// Begins a transaction that reads from one snapshot.
  func beginReading() throws

  /// Ends the transaction; what it changed is durable.
  ///
  /// - Throws: ``CommitFailure`` when it is not known whether the transaction is kept. After any other
  ///   error nothing of it is.
  func commit() throws

  /// Leaves the transaction, if there is one, and undoes what it changed.
  func rollback()

  /// Marks a place in the transaction, of which there is one at a time.
  func setSavepoint() throws

  /// Undoes what was changed since the mark, which stays.
  func rollBackToSavepoint() throws

  /// Removes the mark.
  func releaseSavepoint() throws

  /// Executes a statement.
  ///
  /// - Returns: The number of rows that it changed.
  func execute(_ sql: String, _ values: Arguments) throws -> Int

  /// Executes an insertion of one row.
  ///
  /// - Returns: The number that the row was given.
  func insert(_ sql: String, _ values: Arguments) throws -> Int64

  /// Runs a query, whose rows are read one by one.
  func rows(_ sql: String, _ values: Arguments) throws -> RowCursor

  /// A prepared statement whose values are bound one by one.
  func statement(_ sql: String) throws -> Statement
}

/// A commit failed in a way that leaves open whether its transaction is kept.
struct CommitFailure: Error {
  let reason: String
}

/// A session with SQLite.
final class SQLiteSession: StoreSession {
  let database: Database
  // All transactions of the writer execute these two, so they are kept at hand.
  private var beginning: Statement?
  private var ending: Statement?

  init(_ database: Database) {
    self.database = database
  }

  var isInTransaction: Bool { database.isInTransaction }

  func begin() throws {
    let statement = try beginning ?? database.statement("BEGIN IMMEDIATE TRANSACTION")
    beginning = statement
    try statement.execute()
  }

  func beginReading() throws { try database.execute("BEGIN DEFERRED TRANSACTION") }

  func commit() throws {
    do {
      let statement = try ending ?? database.statement("COMMIT TRANSACTION")
      ending = statement
      try statement.execute()
    } catch let error as DatabaseError {
      rollback()
      // The pages may have reached the log on disk before the error, and count after a crash unless
      // another commit takes their place.
      throw error.code == .ioError ? CommitFailure(reason: "\(error)") : error
    }
  }

  func rollback() { database.rollback() }

  func setSavepoint() throws { try database.execute("SAVEPOINT job") }

  func rollBackToSavepoint() throws { try database.execute("ROLLBACK TO job") }

  func releaseSavepoint() throws { try database.execute("RELEASE job") }

  func execute(_ sql: String, _ values: Arguments) throws -> Int {
    try database.execute(sql, values)
    return database.changesCount
  }

  func insert(_ sql: String, _ values: Arguments) throws -> Int64 {
    try database.execute(sql, values)
    return database.lastInsertedRowID
  }

  func rows(_ sql: String, _ values: Arguments) throws -> RowCursor {
    try database.rows(sql, values)
  }

  func statement(_ sql: String) throws -> Statement { try database.statement(sql) }
}
