import GRDB

/// Values for the placeholders of a statement.
typealias Arguments = [(any DatabaseValueConvertible)?]

/// One connection to the database, with its prepared statements; confined to its thread.
package final class StoreConnection {
  let database: Database
  /// Where events for webhooks go, on the connection that writes.
  let outbox: Outbox?
  /// ``StoreOptions/filesBase``.
  let filesBase: String?
  /// Whether something deleted may have left rows or files that are removed bit by bit; an earlier
  /// process may have left some.
  var mayHaveRemains = true

  init(_ database: Database, outbox: Outbox? = nil, filesBase: String? = nil) {
    self.database = database
    self.outbox = outbox
    self.filesBase = filesBase
  }

  var isInTransaction: Bool { database.isInsideTransaction }

  func statement(_ sql: String) throws -> Statement {
    try database.cachedStatement(sql: sql)
  }

  /// Runs a body in a transaction; when it throws, nothing of it is kept.
  func inTransaction<T>(_ body: () throws -> T) throws -> T {
    try execute("BEGIN IMMEDIATE TRANSACTION")
    do {
      let value = try body()
      try execute("COMMIT TRANSACTION")
      return value
    } catch {
      rollback()
      throw error
    }
  }

  /// Leaves the transaction; SQLite has left it already after some errors.
  func rollback() {
    guard isInTransaction else { return }
    // It cannot fail in a way that leaves anything to do: the transaction is over either way.
    try? execute("ROLLBACK TRANSACTION")
  }

  /// Moves the write-ahead log into the database file; what it cannot move stays in the log.
  func checkpoint() {
    _ = try? database.checkpoint(.truncate)
  }

  func execute(_ sql: String) throws {
    try statement(sql).execute()
  }

  func execute(_ sql: String, _ arguments: Arguments) throws {
    try statement(sql).execute(arguments: checked(arguments))
  }

  /// Executes, and says how many rows the statement changed.
  func change(_ sql: String, _ arguments: Arguments) throws -> Int {
    try execute(sql, arguments)
    return database.changesCount
  }

  func first<T>(
    _ sql: String, _ arguments: Arguments, _ decode: (Row) throws -> T
  ) throws -> T? {
    let rows = try rows(sql, arguments)
    return try rows.next().map(decode)
  }

  /// The rows of a query, read one by one as they are asked for.
  func rows(_ sql: String, _ arguments: Arguments) throws -> RowCursor {
    try Row.fetchCursor(statement(sql), arguments: checked(arguments))
  }

  func all<T>(
    _ sql: String, _ arguments: Arguments, _ decode: (Row) throws -> T
  ) throws -> [T] {
    let rows = try rows(sql, arguments)
    var values: [T] = []
    while let row = try rows.next() { values.append(try decode(row)) }
    return values
  }

  /// SQLite's texts end at U+0000: one that holds it would be taken for a shorter one.
  private func checked(_ arguments: Arguments) throws(StoreError) -> StatementArguments {
    for argument in arguments {
      // Not by a cast to String, which asks the runtime.
      if case .string(let text)? = argument?.databaseValue.storage { try text.checkStorable() }
    }
    return StatementArguments(arguments)
  }
}
