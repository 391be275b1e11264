import CSQLite

/// A prepared statement; confined to its connection's thread.
///
/// Placeholders are numbered from 1, columns from 0.
package final class Statement {
  private let handle: OpaquePointer

  /// - Throws: ``DatabaseError`` when the text is not a statement, or refers to missing objects.
  init(_ sql: String, on database: OpaquePointer) throws {
    var handle: OpaquePointer?
    let outcome = sqlite3_prepare_v3(
      database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard let handle, outcome == SQLITE_OK else {
      throw DatabaseError(code: outcome, handle: database, sql: sql)
    }
    self.handle = handle
  }

  deinit { sqlite3_finalize(handle) }

  /// Whether the statement has returned a row and was not reset since.
  var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// Sets the value of a placeholder.
  package func bind(_ value: Int64, at index: Int32) throws {
    try check(sqlite3_bind_int64(handle, index, value))
  }

  /// Sets the value of a placeholder; `nil` stands for NULL.
  package func bind(_ text: String?, at index: Int32) throws {
    guard var text else { return try check(sqlite3_bind_null(handle, index)) }
    try check(
      text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text(handle, index, $0.baseAddress, $0.count)
        }
      })
  }

  /// Sets the value of a placeholder.
  package func bind(_ bytes: [UInt8], at index: Int32) throws {
    try check(
      bytes.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, $0.count) })
  }

  /// Sets all values, in the order of their placeholders.
  func bind(_ values: Arguments) throws {
    var index: Int32 = 0
    for value in values {
      index += 1
      switch value?.databaseValue {
      case nil, .null: try check(sqlite3_bind_null(handle, index))
      case .integer(let number): try bind(number, at: index)
      case .text(let text): try bind(text, at: index)
      case .bytes(let bytes): try bind(bytes, at: index)
      }
    }
  }

  /// Executes a statement that returns no rows.
  package func execute() throws {
    defer { reset() }
    guard try !step() else { throw failure(SQLITE_MISUSE) }
  }

  /// Executes the statement and reads the first column of the first row; `nil` without a row.
  package func integer() throws -> Int64? {
    defer { reset() }
    return try step() ? sqlite3_column_int64(handle, 0) : nil
  }

  /// Advances to the next row.
  ///
  /// - Returns: Whether there is one.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let outcome: throw failure(outcome)
    }
  }

  func reset() { sqlite3_reset(handle) }

  private func check(_ outcome: Int32) throws {
    guard outcome == SQLITE_OK else { throw failure(outcome) }
  }

  private func failure(_ outcome: Int32) -> DatabaseError {
    DatabaseError(
      code: outcome, handle: sqlite3_db_handle(handle),
      sql: sqlite3_sql(handle).map { String(cString: $0) } ?? "")
  }
}

/// The columns of a statement's current row.
extension Statement {
  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  /// A number; other values are converted by SQLite, to 0 if need be.
  func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
  }

  /// A text as it is, without a copy of its bytes that are no UTF-8; empty for NULL.
  func text(_ column: Int) -> String {
    let column = Int32(truncatingIfNeeded: column)
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func bytes(_ column: Int) -> [UInt8] {
    let column = Int32(truncatingIfNeeded: column)
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, column))
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  func value(_ column: Int) -> DatabaseValue {
    switch sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .bytes(bytes(column))
    default: .null
    }
  }

  func column(named name: String) -> Int? {
    (0..<Int(sqlite3_column_count(handle))).first {
      sqlite3_column_name(handle, Int32($0)).map { String(cString: $0) } == name
    }
  }
}
