import GRDB

extension StoreTransaction {
  /// All tokens of the Platform API, by name.
  package func apiTokens() throws -> [APIToken] {
    try connection.all(
      "SELECT name, created_at, last_used_at FROM api_tokens WHERE name >= '' ORDER BY name", [],
      APIToken.init(row:))
  }

  /// The token of this hash, if there is one.
  package func apiToken(hash: [UInt8]) throws -> APIToken? {
    try connection.first(
      "SELECT name, created_at, last_used_at FROM api_tokens WHERE token_hash = ?",
      [DatabaseBytes(hash)], APIToken.init(row:))
  }
}
