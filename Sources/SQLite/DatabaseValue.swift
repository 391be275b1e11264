/// A value stored in a database.
package enum DatabaseValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
}

/// A type whose values can be bound to placeholders.
package protocol DatabaseValueConvertible {
  var databaseValue: DatabaseValue { get }
}

/// A type that column values can be read as.
package protocol ColumnValue {
  /// Reads a column of the current row of a statement.
  init(_ statement: Statement, _ column: Int)
}

/// The values of a statement's placeholders, in their order; `nil` stands for NULL.
package typealias Arguments = [(any DatabaseValueConvertible)?]

extension DatabaseValue: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { self }
}

extension Int64: DatabaseValueConvertible, ColumnValue {
  package var databaseValue: DatabaseValue { .integer(self) }

  package init(_ statement: Statement, _ column: Int) { self = statement.integer(column) }
}

extension Int: DatabaseValueConvertible, ColumnValue {
  package var databaseValue: DatabaseValue { .integer(Int64(self)) }

  package init(_ statement: Statement, _ column: Int) {
    self = Int(truncatingIfNeeded: statement.integer(column))
  }
}

extension Int32: DatabaseValueConvertible {
  package var databaseValue: DatabaseValue { .integer(Int64(self)) }
}

extension Bool: DatabaseValueConvertible, ColumnValue {
  package var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }

  package init(_ statement: Statement, _ column: Int) { self = statement.integer(column) != 0 }
}

extension String: DatabaseValueConvertible, ColumnValue {
  package var databaseValue: DatabaseValue { .text(self) }

  package init(_ statement: Statement, _ column: Int) { self = statement.text(column) }
}

extension [UInt8]: DatabaseValueConvertible, ColumnValue {
  package var databaseValue: DatabaseValue { .bytes(self) }

  package init(_ statement: Statement, _ column: Int) { self = statement.bytes(column) }
}
