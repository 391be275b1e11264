import SQLite

/// What the Platform API keeps: more of users, channels and messages, tokens and counters.
enum PlatformSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: users)
    try foldNicknames(database)
    try database.execute(script: channels)
    try database.execute(script: messages)
    try database.execute(script: tokens)
  }

  /// `nickname_folded` is the nickname in lower case, for searching without regard to case.
  private static let users = """
    ALTER TABLE users ADD COLUMN nickname_folded TEXT NOT NULL DEFAULT '';
    ALTER TABLE users ADD COLUMN last_seen_at INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX users_by_age ON users (created_at, user_id);
    CREATE INDEX users_by_nickname ON users (nickname_folded, created_at, user_id);
    CREATE INDEX users_by_access_token ON users (access_token_hash)
      WHERE access_token_hash IS NOT NULL;
    """

  private static let channels = """
    ALTER TABLE channels ADD COLUMN metadata TEXT;
    CREATE INDEX channels_with_limits ON channels (channel_id)
      WHERE flood_messages IS NOT NULL OR throttle_messages IS NOT NULL;
    CREATE TABLE metacounters (
      channel_id INTEGER NOT NULL REFERENCES channels ON DELETE CASCADE,
      key TEXT NOT NULL,
      value INTEGER NOT NULL,
      PRIMARY KEY (channel_id, key)
    ) STRICT, WITHOUT ROWID;
    """

  /// Few messages are operators' own, so an index of all would hardly find them.
  private static let messages = """
    ALTER TABLE messages ADD COLUMN file TEXT;
    ALTER TABLE messages ADD COLUMN is_operator INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX messages_by_operators ON messages (channel_id, created_at, message_id)
      WHERE is_operator = 1;
    """

  private static let tokens = """
    CREATE TABLE session_tokens (
      token_hash BLOB NOT NULL PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_tokens_by_user ON session_tokens (user_id, expires_at);
    CREATE INDEX session_tokens_by_expiry ON session_tokens (expires_at);
    CREATE TABLE api_tokens (
      name TEXT NOT NULL PRIMARY KEY,
      token_hash BLOB NOT NULL UNIQUE,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    """

  /// SQLite's own `lower` knows ASCII only.
  private static func foldNicknames(_ database: Database) throws {
    try database.withFunction("parley_fold", { $0.lowercased() }) {
      try database.execute(
        "UPDATE users SET nickname_folded = parley_fold(nickname) WHERE nickname <> ''")
    }
  }
}
