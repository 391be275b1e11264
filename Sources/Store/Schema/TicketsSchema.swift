import SQLite

/// The tickets with which observers open their sessions.
enum TicketsSchema {
  static func create(_ database: Database) throws {
    try database.execute(
      script: """
        CREATE TABLE tickets (
          ticket_hash BLOB NOT NULL PRIMARY KEY,
          token_hash BLOB NOT NULL,
          expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX tickets_by_token ON tickets (token_hash);
        CREATE INDEX tickets_by_expiry ON tickets (expires_at);
        """)
  }

  static let postgreSQL = """
    CREATE TABLE tickets (
      ticket_hash bytea PRIMARY KEY,
      token_hash bytea NOT NULL,
      expires_at bigint NOT NULL
    );
    CREATE INDEX tickets_by_token ON tickets (token_hash);
    CREATE INDEX tickets_by_expiry ON tickets (expires_at);
    """
}
