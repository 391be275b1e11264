/// The current row of a query; valid until the query advances.
package struct Row {
  // References the cursor, not just the statement: the end of the cursor would reset the statement.
  private let query: RowCursor

  fileprivate init(_ query: RowCursor) {
    self.query = query
  }

  /// A column's value.
  package subscript<T: ColumnValue>(column: Int) -> T { T(query.statement, column) }

  /// A column's value; `nil` for NULL.
  package subscript<T: ColumnValue>(column: Int) -> T? {
    query.statement.isNull(column) ? nil : T(query.statement, column)
  }

  package func isNull(_ column: Int) -> Bool { query.statement.isNull(column) }

  /// A number; other values are converted by SQLite, to 0 if need be.
  package func integer(_ column: Int) -> Int64 { query.statement.integer(column) }

  /// A text; empty for NULL.
  package func text(_ column: Int) -> String { query.statement.text(column) }

  /// Bytes; none for NULL.
  package func bytes(_ column: Int) -> [UInt8] { query.statement.bytes(column) }

  /// A column's value as stored; `nil` when there is no such column.
  package subscript(named name: String) -> DatabaseValue? {
    query.statement.column(named: name).map(query.statement.value)
  }
}

/// The rows of a query; each must be read before the next is requested.
package final class RowCursor {
  fileprivate let statement: Statement
  private var isAtEnd = false

  /// The rows of a statement whose values are already bound.
  package init(_ statement: Statement) {
    self.statement = statement
  }

  deinit { statement.reset() }

  /// The next row; `nil` at the end.
  package func next() throws -> Row? {
    guard !isAtEnd, try statement.step() else {
      isAtEnd = true
      return nil
    }
    return Row(self)
  }
}
