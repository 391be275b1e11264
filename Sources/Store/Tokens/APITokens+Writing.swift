import SQLite

extension WriteTransaction {
  /// Keeps the hash of a new token.
  ///
  /// - Throws: `StoreError.exists` when there is one of this name or hash,
  ///   `.tooManyItems` when there are 100.
  package func addAPIToken(_ token: APIToken) throws {
    guard try apiTokens().count < apiTokenLimit else {
      throw StoreError.tooManyItems(limit: apiTokenLimit)
    }
    let count = try connection.change(
      "INSERT OR IGNORE INTO api_tokens (name, token_hash, created_at) VALUES (?, ?, ?)",
      [token.name, token.hash, token.createdAt])
    guard count > 0 else { throw StoreError.exists }
  }

  /// Takes a token's rights away.
  ///
  /// - Throws: `StoreError.notFound(.token)`.
  package func revokeAPIToken(hash: [UInt8]) throws {
    let count = try connection.change(
      "DELETE FROM api_tokens WHERE token_hash = ?", [hash])
    guard count > 0 else { throw StoreError.notFound(.token) }
  }

  /// Notes that a token was used; as with `noteSeen`, not more than once a minute.
  package func noteAPITokenUsed(hash: [UInt8], at now: Int64) throws {
    try connection.execute(
      "UPDATE api_tokens SET last_used_at = ?2 WHERE token_hash = ?1 AND last_used_at <= ?2 - ?3",
      [hash, now, seenIntervalMilliseconds])
  }
}

/// Most tokens of the Platform API.
let apiTokenLimit = 100
