import CSQLite
import GRDB

/// A statement of the most frequent ones, whose values are bound one by one.
///
/// Binding through GRDB makes a box for each value and a list of them. What else GRDB does on each
/// execution serves observers of transactions, of which there are none. Confined to its
/// connection's thread.
struct DirectStatement {
  /// Owns the prepared statement.
  private let statement: Statement
  private var handle: OpaquePointer { statement.sqliteStatement }

  init(_ sql: String, on connection: StoreConnection) throws {
    statement = try connection.statement(sql)
  }

  /// Sets the value of a placeholder, the first of which is 1.
  func bind(_ value: Int64, at index: Int32) throws {
    try check(sqlite3_bind_int64(handle, index, value))
  }

  /// Sets the value of a placeholder; `nil` stands for NULL.
  ///
  /// - Throws: `StoreError.unstorableText` for one with U+0000.
  func bind(_ text: String?, at index: Int32) throws {
    guard var text else { return try check(sqlite3_bind_null(handle, index)) }
    try check(
      try text.withUTF8 { bytes in
        try bytes.checkStorable()
        return bytes.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text(handle, index, $0.baseAddress, $0.count)
        }
      })
  }

  /// Executes a statement that gives no rows.
  func execute() throws {
    defer { sqlite3_reset(handle) }
    let outcome = sqlite3_step(handle)
    guard outcome == SQLITE_DONE else { throw failure(outcome) }
  }

  /// Executes, and reads the first column of the first row; `nil` without a row.
  func integer() throws -> Int64? {
    defer { sqlite3_reset(handle) }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return sqlite3_column_int64(handle, 0)
    case SQLITE_DONE: return nil
    case let outcome: throw failure(outcome)
    }
  }

  private func check(_ outcome: Int32) throws {
    guard outcome == SQLITE_OK else { throw failure(outcome) }
  }

  private func failure(_ outcome: Int32) -> DatabaseError {
    let message = sqlite3_errmsg(sqlite3_db_handle(handle)).map { String(cString: $0) }
    return DatabaseError(
      resultCode: ResultCode(rawValue: outcome), message: message, sql: statement.sql)
  }
}
