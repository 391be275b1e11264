import SQLite

/// Users and what they may sign in with.
enum UsersSchema {
  static func create(_ database: Database) throws {
    try database.execute(
      script: """
        CREATE TABLE users (
          user_id TEXT NOT NULL PRIMARY KEY,
          nickname TEXT NOT NULL,
          profile_url TEXT NOT NULL,
          metadata TEXT,
          is_active INTEGER NOT NULL DEFAULT 1,
          access_token_hash BLOB,
          created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """)
  }
}
