import SQLite

/// What rows have to fulfil, with the values that it names.
///
/// The clauses are the code's own; only values come from outside.
struct Condition {
  private var clauses: [String]
  private(set) var arguments: Arguments

  /// Any row.
  init() {
    clauses = []
    arguments = []
  }

  init(_ clause: String, _ arguments: Arguments) {
    clauses = [clause]
    self.arguments = arguments
  }

  var isEmpty: Bool { clauses.isEmpty }

  /// For use after WHERE.
  var sql: String { clauses.joined(separator: " AND ") }

  /// For use as a column that is 1 or 0.
  var flag: String { clauses.isEmpty ? "1" : "coalesce(\(sql), 0)" }

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
