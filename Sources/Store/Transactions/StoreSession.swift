/// A conversation with a database: all that ``StoreConnection`` asks of one.
///
/// Another database brings a session of its own. Confined to its thread.
protocol StoreSession: AnyObject {
  /// Whether a transaction has begun and not ended; some errors end it by themselves.
  var isInTransaction: Bool { get }

  /// Whether requests have a table of their own.
  var keepsRequests: Bool { get }

  /// Whether events for webhooks have lanes, which servers divide between them.
  var hasLanes: Bool { get }

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
  func execute(_ sql: StoreStatement, _ values: StoreArguments) throws -> Int

  /// Executes an insertion of one row.
  ///
  /// - Parameter column: The column that numbers the rows.
  /// - Returns: The number that the row was given.
  func insert(
    _ sql: StoreStatement, _ values: StoreArguments, numbering column: String
  ) throws -> Int64

  /// Runs a query of a few rows, which may be read at once.
  func rows(_ sql: StoreStatement, _ values: StoreArguments) throws -> StoreRows

  /// Runs a query of many rows, of which a part is read at a time.
  func scan(_ sql: StoreStatement, _ values: StoreArguments) throws -> StoreRows

  /// A prepared statement whose values are bound one by one.
  func statement(_ sql: StoreStatement) throws -> any BoundStatement

  /// The writer of new messages that suits the database.
  func makeAppender(for connection: StoreConnection) -> any MessageAppending

  /// The number of connections that there have been; `nil` for a database in this process.
  var connectionCount: Int? { get }

  /// Whether the connection was lost and is not there again, so that nothing can be done.
  var isCutOff: Bool { get }

  /// The reason why what is committed would be lost with this process, as the database's file is no longer
  /// in its place; `nil` while it is.
  var fileProblem: String? { get }

  /// Finds out, without waiting, whether the connection was lost.
  func lookAtConnection()

  /// Connects anew after the connection was lost; does nothing while there is one.
  func restore() throws
}

/// A statement whose values are bound one by one.
protocol BoundStatement: AnyObject {
  /// Sets the value of a placeholder, the first of which is 1.
  func bind(_ value: Int64, at index: Int32) throws
  /// Sets the value of a placeholder; `nil` stands for NULL.
  func bind(_ text: String?, at index: Int32) throws
  /// Executes a statement that gives no rows.
  func execute() throws
  /// Executes, and reads the first column of the first row; `nil` without a row.
  func integer() throws -> Int64?
}

/// A commit failed in a way that leaves open whether its transaction is kept.
struct CommitFailure: Error {
  let reason: String
}
