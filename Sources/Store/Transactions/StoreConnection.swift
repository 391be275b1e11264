/// One connection to the database, with its prepared statements; confined to its thread.
final class StoreConnection {
  var session: any StoreSession
  /// The outbox for events of webhooks, on the connection that writes.
  let outbox: Outbox<OutboxOptions>?
  /// The new push jobs, on a connection that writes.
  let push: Outbox<PushJobOptions>?
  /// ``StoreOptions/fileURL``.
  let fileURL: StoreOptions.FileURL
  /// Whether deletions may have left rows or files to be removed step by step; an earlier process may
  /// have left some.
  var mayHaveRemains = true

  init(
    _ session: any StoreSession, outbox: Outbox<OutboxOptions>? = nil,
    push: Outbox<PushJobOptions>? = nil,
    fileURL: @escaping StoreOptions.FileURL = { stored, _ in stored }
  ) {
    self.session = session
    self.outbox = outbox
    self.push = push
    self.fileURL = fileURL
  }

  var isInTransaction: Bool { session.isInTransaction }

  /// Whether requests have a table of their own, as in PostgreSQL, whose planner would not use the index
  /// of messages.
  var keepsRequests: Bool { session.keepsRequests }

  func statement(_ sql: StoreStatement) throws -> any BoundStatement {
    try session.statement(sql)
  }

  /// Runs a body in a transaction; when it throws, nothing of it is kept.
  ///
  /// - Throws: ``CommitFailure`` when it is unknown whether the transaction was kept.
  func inTransaction<T>(_ body: () throws -> T) throws -> T {
    try session.begin()
    let value: T
    do {
      value = try body()
    } catch {
      session.rollback()
      throw error
    }
    try session.commit()
    return value
  }

  /// Runs a body that reads, in a snapshot; repeats it once when the connection was lost, because an
  /// idle connection detects that only when it is used.
  func inSnapshot<T>(_ body: () throws -> T) throws -> T {
    do {
      return try inOneSnapshot(body)
    } catch  where error.mayPass {
      return try inOneSnapshot(body)
    }
  }

  private func inOneSnapshot<T>(_ body: () throws -> T) throws -> T {
    try session.beginReading()
    defer { session.rollback() }
    return try body()
  }

  /// Rolls back the transaction; after some errors SQLite already did.
  func rollback() {
    session.rollback()
  }

  /// Executes a statement and ignores its rows.
  func execute(_ sql: StoreStatement, _ arguments: StoreArguments = []) throws {
    _ = try session.execute(sql, checked(arguments))
  }

  /// Executes a statement whose outcome is not needed, with the next one where a round trip costs time.
  ///
  /// An error undoes the whole transaction.
  func executeLater(_ sql: StoreStatement, _ arguments: StoreArguments) throws {
    try session.executeLater(sql, checked(arguments))
  }

  /// Executes a statement and returns the number of rows that it changed.
  func change(_ sql: StoreStatement, _ arguments: StoreArguments) throws -> Int {
    try session.execute(sql, checked(arguments))
  }

  /// Executes an insertion and returns the number assigned to the row.
  ///
  /// - Parameter column: The column that numbers the rows.
  func insert(
    _ sql: StoreStatement, _ arguments: StoreArguments, numbering column: String
  ) throws -> Int64 {
    try session.insert(sql, checked(arguments), numbering: column)
  }

  /// The first row of a query, if there is one.
  func first<T>(
    _ sql: StoreStatement, _ arguments: StoreArguments, _ decode: (StoreRow) throws -> T
  ) throws -> T? {
    let rows = try rows(sql, arguments)
    return try rows.next().map(decode)
  }

  /// The rows of a query that reads only a few.
  func rows(_ sql: StoreStatement, _ arguments: StoreArguments) throws -> StoreRows {
    try session.rows(sql, checked(arguments))
  }

  /// The rows of a query that may read many, fetched on demand.
  func scan(_ sql: StoreStatement, _ arguments: StoreArguments) throws -> StoreRows {
    try session.scan(sql, checked(arguments))
  }

  func all<T>(
    _ sql: StoreStatement, _ arguments: StoreArguments, _ decode: (StoreRow) throws -> T
  ) throws -> [T] {
    let rows = try rows(sql, arguments)
    var values: [T] = []
    while let row = try rows.next() { values.append(try decode(row)) }
    return values
  }

  /// SQLite ends texts at U+0000: a text that contains it would be mistaken for a shorter one.
  private func checked(_ arguments: StoreArguments) throws(StoreError) -> StoreArguments {
    for argument in arguments {
      if case .text(let text)? = argument?.storeValue { try text.checkStorable() }
    }
    return arguments
  }
}

/// Events and push jobs of a transaction, which are reported after its commit.
extension StoreConnection {
  /// A position in the transaction.
  struct ArrivalMark {
    fileprivate var events = 0
    fileprivate var pushes = 0
  }

  var arrivalMark: ArrivalMark { ArrivalMark(events: outbox?.mark ?? 0, pushes: push?.mark ?? 0) }

  /// Discards those after a position, of a job that was undone, or those of the whole transaction.
  func rollBackArrivals(to mark: ArrivalMark = ArrivalMark()) {
    outbox?.rollBack(to: mark.events)
    push?.rollBack(to: mark.pushes)
  }

  /// Reports those of a transaction, once it is durable.
  func announceArrivals() {
    outbox?.announce()
    push?.announce()
  }
}

/// A frequently used statement, whose values are bound one by one.
///
/// Confined to its connection's thread.
struct DirectStatement {
  private let statement: any BoundStatement

  init(_ sql: StoreStatement, on connection: StoreConnection) throws {
    statement = try connection.statement(sql)
  }

  /// Sets the value of a placeholder, the first of which is 1.
  func bind(_ value: Int64, at index: Int32) throws {
    try statement.bind(value, at: index)
  }

  /// Sets the value of a placeholder; `nil` stands for NULL.
  ///
  /// - Throws: `StoreError.unstorableText` for one with U+0000.
  func bind(_ text: String?, at index: Int32) throws {
    try text?.checkStorable()
    try statement.bind(text, at: index)
  }

  /// Executes a statement that returns no rows.
  func execute() throws { try statement.execute() }

  /// Executes the statement and reads the first column of the first row; `nil` without a row.
  func integer() throws -> Int64? { try statement.integer() }
}
