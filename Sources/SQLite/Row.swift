/// A row that a query has reached; valid until the query goes on.
package struct Row {
  private let statement: Statement

  init(_ statement: Statement) {
    self.statement = statement
  }

  /// A column's value.
  package subscript<T: ColumnValue>(column: Int) -> T { T(statement, column) }

  /// A column's value; `nil` for NULL.
  package subscript<T: ColumnValue>(column: Int) -> T? {
    statement.isNull(column) ? nil : T(statement, column)
  }

  /// A column's value as the database has it; `nil` when there is no such column.
  package subscript(named name: String) -> DatabaseValue? {
    statement.column(named: name).map(statement.value)
  }
}

/// The rows of a query; each must be read before the next is asked for.
package final class RowCursor {
  private let statement: Statement
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
    return Row(statement)
  }
}
