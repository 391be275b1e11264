import SQLite

/// The roles of tokens of the Platform API: existing tokens keep all rights.
enum TokenRolesSchema {
  static func create(_ database: Database) throws { try database.execute(script: script) }

  /// The same in both databases.
  static let script = "ALTER TABLE api_tokens ADD COLUMN role TEXT NOT NULL DEFAULT 'admin';"
}
