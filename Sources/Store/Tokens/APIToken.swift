import GRDB

/// A token that lets a program call the Platform API.
package struct APIToken: Sendable, Hashable {
  /// What people call it.
  package var name: String
  /// Unix milliseconds.
  package var createdAt: Int64
  /// Unix milliseconds, right to within a minute; 0 when it never was.
  package var lastUsedAt: Int64

  /// From the columns name, created_at, last_used_at, in this order.
  init(row: Row) {
    name = row[0]
    createdAt = row[1]
    lastUsedAt = row[2]
  }
}
