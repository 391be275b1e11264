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

  /// A column's value as the database has it; `nil` when there is no such column.
  package subscript(named name: String) -> DatabaseValue? {
    query.statement.column(named: name).map(query.statement.value)
  }
}

/// The rows of a query; each must be read before the next is asked for.
package final class RowCursor {
  fileprivate let statement: Statement
  private var isAtEnd = false

  init(_ statement: Statement) {
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
