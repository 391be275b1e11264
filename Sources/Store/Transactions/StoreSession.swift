/// A session with a database: the operations that ``StoreConnection`` needs.
///
/// Each database implements its own. Confined to its thread.
protocol StoreSession: AnyObject {
  /// Whether a transaction has begun and not ended; some errors end it automatically.
  var isInTransaction: Bool { get }

  /// Whether requests have a table of their own.
  var keepsRequests: Bool { get }

  /// Whether events for webhooks have lanes, which are divided between servers.
  var hasLanes: Bool { get }

  /// Whether the index of search has a row with the tokens of each message.
  var hasTokenDocuments: Bool { get }

  /// Begins a transaction that writes.
  func begin() throws

  /// Begins a transaction that reads from one snapshot.
  func beginReading() throws

  /// A number of a ``ChangeClock`` that all changes exceed which the transaction that reads does not show.
  func settledChange() throws -> Int64

  /// Commits the transaction; its changes are then durable.
  ///
  /// - Throws: ``CommitFailure`` when it is unknown whether the transaction was kept. After any other
  ///   error nothing of it was kept.
  func commit() throws

  /// Rolls back the transaction, if there is one.
  func rollback()

  /// Sets a savepoint in the transaction, which has at most one at a time.
  func setSavepoint() throws

  /// Undoes the changes since the savepoint, which remains.
  func rollBackToSavepoint() throws

  /// Removes the savepoint.
  func releaseSavepoint() throws

  /// Executes a statement.
  ///
  /// - Returns: The number of rows that it changed.
  func execute(_ sql: StoreStatement, _ values: StoreArguments) throws -> Int

  /// Executes a statement whose outcome is not needed; a session may send it with the next one.
  ///
  /// An error undoes the transaction.
  func executeLater(_ sql: StoreStatement, _ values: StoreArguments) throws

  /// Executes an insertion of one row.
  ///
  /// - Parameter column: The column that numbers the rows.
  /// - Returns: The number assigned to the row.
  func insert(
    _ sql: StoreStatement, _ values: StoreArguments, numbering column: String
  ) throws -> Int64

  /// Runs a query of a few rows, which may all be read at once.
  func rows(_ sql: StoreStatement, _ values: StoreArguments) throws -> StoreRows

  /// Runs a query of many rows, which are read in parts.
  func scan(_ sql: StoreStatement, _ values: StoreArguments) throws -> StoreRows

  /// A prepared statement whose values are bound one by one.
  func statement(_ sql: StoreStatement) throws -> any BoundStatement

  /// The writer of new messages for this kind of database.
  func makeAppender(for connection: StoreConnection) -> any MessageAppending

  /// The number of connections made so far; `nil` for a database in this process.
  var connectionCount: Int? { get }

  /// Whether the connection was lost and not restored, so that no statement can run.
  var isCutOff: Bool { get }

  /// The reason why commits would be lost when this process ends, because the database's file is no
  /// longer at its path; `nil` while it is.
  var fileProblem: String? { get }

  /// Checks, without waiting, whether the connection was lost.
  func lookAtConnection()

  /// Reconnects after the connection was lost; does nothing while connected.
  func restore() throws
}

extension StoreSession {
  func executeLater(_ sql: StoreStatement, _ values: StoreArguments) throws {
    _ = try execute(sql, values)
  }
}

/// A statement whose values are bound one by one.
protocol BoundStatement: AnyObject {
  /// Sets the value of a placeholder, the first of which is 1.
  func bind(_ value: Int64, at index: Int32) throws
  /// Sets the value of a placeholder; `nil` stands for NULL.
  func bind(_ text: String?, at index: Int32) throws
  /// Executes a statement that returns no rows.
  func execute() throws
  /// Executes the statement and reads the first column of the first row; `nil` without a row.
  func integer() throws -> Int64?
}

/// A commit failed, and it is unknown whether its transaction was kept.
struct CommitFailure: Error {
  let reason: String
}
