/// A value for a placeholder of a statement.
enum StoreValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  /// A list for ``StoreStatement/isAnyOf``.
  case texts([String])
  /// A list for ``StoreStatement/isAnyOf``.
  case integers([Int64])
}

/// A type whose values can be bound to placeholders.
protocol StoreArgument {
  var storeValue: StoreValue { get }
}

/// The values of a statement's placeholders, in their order; `nil` stands for NULL.
typealias StoreArguments = [(any StoreArgument)?]

/// A type that column values can be read as.
protocol StoreColumn {
  init(_ row: StoreRow, _ column: Int)
}

extension StoreValue: StoreArgument {
  var storeValue: StoreValue { self }
}

extension Int64: StoreArgument, StoreColumn {
  var storeValue: StoreValue { .integer(self) }

  init(_ row: StoreRow, _ column: Int) { self = row.integer(column) }
}

extension Int: StoreArgument, StoreColumn {
  var storeValue: StoreValue { .integer(Int64(self)) }

  init(_ row: StoreRow, _ column: Int) { self = Int(truncatingIfNeeded: row.integer(column)) }
}

extension Int32: StoreArgument {
  var storeValue: StoreValue { .integer(Int64(self)) }
}

extension Bool: StoreArgument, StoreColumn {
  var storeValue: StoreValue { .integer(self ? 1 : 0) }

  init(_ row: StoreRow, _ column: Int) { self = row.integer(column) != 0 }
}

extension String: StoreArgument, StoreColumn {
  var storeValue: StoreValue { .text(self) }

  init(_ row: StoreRow, _ column: Int) { self = row.text(column) }
}

extension [UInt8]: StoreArgument, StoreColumn {
  var storeValue: StoreValue { .bytes(self) }

  init(_ row: StoreRow, _ column: Int) { self = row.bytes(column) }
}
