import SQLite

extension StoreTransaction {
  /// All tokens of the Platform API, by name.
  package func apiTokens() throws -> [APIToken] {
    try connection.all(
      "SELECT \(APIToken.columns) FROM api_tokens WHERE name >= '' ORDER BY name", [],
      APIToken.init(row:))
  }
}
