import Crypto
import SQLite

/// A token that lets a program call the Platform API.
package struct APIToken: Sendable, Hashable {
  /// What people call it; no two have the same.
  package var name: String
  /// Of the token; the token itself is not kept.
  package var hash: [UInt8]
  /// Unix milliseconds.
  package var createdAt: Int64
  /// Unix milliseconds, right to within a minute; 0 when it never was.
  package var lastUsedAt: Int64

  package init(name: String, hash: [UInt8], createdAt: Int64, lastUsedAt: Int64 = 0) {
    self.name = name
    self.hash = hash
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }

  /// Names the token to those who list and revoke: 16 hexadecimal digits.
  ///
  /// The beginning of a hash of the hash, which tells nothing of the token.
  package var id: String { String(TokenDigest(of: hash).hex.prefix(16)) }

  static let columns = "name, token_hash, created_at, last_used_at"

  /// From `columns`.
  init(row: Row) {
    self.init(name: row[0], hash: row[1], createdAt: row[2], lastUsedAt: row[3])
  }
}
