import PostgreSQL
import SQLite

/// The current row of a query; valid until the query advances.
struct StoreRow {
  private enum Source {
    case sqlite(Row)
    case postgreSQL(PostgreSQLRows, Int)
  }

  private let source: Source

  init(_ row: Row) { source = .sqlite(row) }

  init(_ index: Int, of rows: PostgreSQLRows) { source = .postgreSQL(rows, index) }

  /// A column's value.
  subscript<T: StoreColumn>(column: Int) -> T { T(self, column) }

  /// A column's value; `nil` for NULL.
  subscript<T: StoreColumn>(column: Int) -> T? { isNull(column) ? nil : T(self, column) }

  func isNull(_ column: Int) -> Bool {
    switch source {
    case .sqlite(let row): row.isNull(column)
    case .postgreSQL(let rows, let index): rows.isNull(index, column)
    }
  }

  /// A number or a truth value; 0 for NULL.
  func integer(_ column: Int) -> Int64 {
    switch source {
    case .sqlite(let row): row.integer(column)
    case .postgreSQL(let rows, let index): rows.integer(index, column)
    }
  }

  /// A text; empty for NULL.
  func text(_ column: Int) -> String {
    switch source {
    case .sqlite(let row): row.text(column)
    case .postgreSQL(let rows, let index): rows.text(index, column)
    }
  }

  /// Bytes; none for NULL.
  func bytes(_ column: Int) -> [UInt8] {
    switch source {
    case .sqlite(let row): row.bytes(column)
    case .postgreSQL(let rows, let index): rows.bytes(index, column)
    }
  }
}

/// The rows of a query; each must be read before the next is requested.
struct StoreRows {
  private enum Source {
    case sqlite(RowCursor)
    case postgreSQL(PostgreSQLCursor)
  }

  private let source: Source

  init(_ cursor: RowCursor) { source = .sqlite(cursor) }

  init(_ cursor: PostgreSQLCursor) { source = .postgreSQL(cursor) }

  /// The next row; `nil` at the end.
  func next() throws -> StoreRow? {
    switch source {
    case .sqlite(let cursor): try cursor.next().map(StoreRow.init)
    case .postgreSQL(let cursor): try cursor.next()
    }
  }

  /// The next rows that are in memory: none where a statement costs no round trip.
  var upcoming: [StoreRow] {
    switch source {
    case .sqlite: []
    case .postgreSQL(let cursor): cursor.upcoming
    }
  }
}
