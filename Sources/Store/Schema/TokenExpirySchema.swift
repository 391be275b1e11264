import SQLite

/// The expiry of tokens of the Platform API; 0 for a token that does not expire, as for existing tokens.
enum TokenExpirySchema {
  static func create(_ database: Database) throws {
    try database.execute(
      script: "ALTER TABLE api_tokens ADD COLUMN expires_at INTEGER NOT NULL DEFAULT 0")
  }

  static let postgreSQL = "ALTER TABLE api_tokens ADD COLUMN expires_at bigint NOT NULL DEFAULT 0;"
}
