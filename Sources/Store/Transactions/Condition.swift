import GRDB

/// What rows have to fulfil, with the values that it names.
///
/// The clauses are the code's own; only values come from outside.
struct Condition {
  private var clauses: [String]
  private(set) var arguments: Arguments

  init(_ clause: String, _ arguments: Arguments) {
    clauses = [clause]
    self.arguments = arguments
  }

  /// For use after WHERE.
  var sql: String { clauses.joined(separator: " AND ") }

  mutating func require(_ clause: String, _ arguments: Arguments = []) {
    clauses.append(clause)
    self.arguments += arguments
  }

  /// Requires that a column has one of the values; none at all stands for any.
  mutating func require(_ column: String, isAnyOf values: [String]) throws {
    guard !values.isEmpty else { return }
    // One placeholder for any number of values: one statement to prepare and to keep.
    require("\(column) IN (SELECT value FROM json_each(?))", [try StoredJSON.encode(values)])
  }
}
