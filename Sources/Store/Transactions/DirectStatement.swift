import SQLite

/// A statement of the most frequent ones, whose values are bound one by one.
///
/// Confined to its connection's thread.
struct DirectStatement {
  private let statement: Statement

  init(_ sql: String, on connection: StoreConnection) throws {
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

  /// Executes a statement that gives no rows.
  func execute() throws { try statement.execute() }

  /// Executes, and reads the first column of the first row; `nil` without a row.
  func integer() throws -> Int64? { try statement.integer() }
}
