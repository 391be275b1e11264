/// A row that a query has reached; valid until the query goes on.
package struct Row {
  // Not the statement alone: the end of the query would reset it under the row.
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

  /// A number as it is; of anything else, SQLite's reading of it, 0 at worst.
  package func integer(_ column: Int) -> Int64 { query.statement.integer(column) }

  /// A text as it is; empty for NULL.
  package func text(_ column: Int) -> String { query.statement.text(column) }

  /// Bytes as they are; none for NULL.
  package func bytes(_ column: Int) -> [UInt8] { query.statement.bytes(column) }

  /// A column's value as the database has it; `nil` when there is no such column.
  package subscript(named name: String) -> DatabaseValue? {
    query.statement.column(named: name).map(query.statement.value)
  }
}

/// The rows of a query; each must be read before the next is asked for.
package final class RowCursor {
  fileprivate let statement: Statement
  private var isAtEnd = false

  /// The rows of a statement whose values are bound.
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
