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

extension StoreTransaction {
  /// All tokens of the Platform API, by name.
  package func apiTokens() throws -> [APIToken] {
    try connection.all(
      "SELECT name, created_at, last_used_at FROM api_tokens WHERE name > '' ORDER BY name", [],
      APIToken.init(row:))
  }

  /// The token of this hash, if there is one.
  package func apiToken(hash: [UInt8]) throws -> APIToken? {
    try connection.first(
      "SELECT name, created_at, last_used_at FROM api_tokens WHERE token_hash = ?",
      [DatabaseBytes(hash)], APIToken.init(row:))
  }
}

extension WriteTransaction {
  /// Keeps the hash of a new token.
  ///
  /// - Throws: `StoreError.exists` when there is one of this name or hash,
  ///   `.tooManyItems` when there are 100.
  package func addAPIToken(_ name: String, hash: [UInt8], at now: Int64) throws {
    guard try apiTokens().count < apiTokenLimit else {
      throw StoreError.tooManyItems(limit: apiTokenLimit)
    }
    let count = try connection.change(
      "INSERT OR IGNORE INTO api_tokens (name, token_hash, created_at) VALUES (?, ?, ?)",
      [name, DatabaseBytes(hash), now])
    guard count > 0 else { throw StoreError.exists }
  }

  /// Takes a token's rights away.
  ///
  /// - Throws: `StoreError.notFound(.token)`.
  package func revokeAPIToken(_ name: String) throws {
    let count = try connection.change("DELETE FROM api_tokens WHERE name = ?", [name])
    guard count > 0 else { throw StoreError.notFound(.token) }
  }

  /// Notes that a token was used; as with `noteSeen`, not more than once a minute.
  package func noteAPITokenUsed(_ name: String, at now: Int64) throws {
    try connection.execute(
      "UPDATE api_tokens SET last_used_at = ?2 WHERE name = ?1 AND last_used_at <= ?2 - ?3",
      [name, now, seenIntervalMilliseconds])
  }
}

/// Most tokens of the Platform API.
let apiTokenLimit = 100
