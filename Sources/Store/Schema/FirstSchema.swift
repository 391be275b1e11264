import SQLite

/// Users and their credentials.
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

/// Channels, and the roles and restrictions of users in them.
enum ChannelsSchema {
  /// The term of a channel's writers: see ``MessageLog``.
  static func addTerm(_ database: Database) throws {
    try database.execute(script: "ALTER TABLE channels ADD COLUMN term INTEGER NOT NULL DEFAULT 0")
  }

  static func create(_ database: Database) throws {
    try database.execute(script: channels)
    try database.execute(script: operators)
    for table in ["bans", "mutes"] { try database.execute(script: restrictions(table)) }
  }

  /// AUTOINCREMENT: the number of a deleted channel is never reused.
  ///
  /// `name_folded` is the name in lower case, for case-insensitive search.
  private static let channels = """
    CREATE TABLE channels (
      channel_id INTEGER PRIMARY KEY AUTOINCREMENT,
      url TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      name_folded TEXT NOT NULL,
      cover_url TEXT NOT NULL,
      data TEXT NOT NULL,
      custom_type TEXT NOT NULL,
      is_ephemeral INTEGER NOT NULL,
      is_frozen INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      epoch TEXT NOT NULL,
      last_seq INTEGER NOT NULL DEFAULT 0,
      last_created_at INTEGER NOT NULL DEFAULT 0,
      flood_messages INTEGER,
      flood_window_ms INTEGER,
      throttle_messages INTEGER,
      throttle_window_ms INTEGER
    ) STRICT;
    CREATE INDEX channels_by_age ON channels (created_at, channel_id);
    """

  private static let operators = """
    CREATE TABLE channel_operators (
      channel_id INTEGER NOT NULL REFERENCES channels ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
      position INTEGER NOT NULL,
      PRIMARY KEY (channel_id, user_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX channel_operators_by_user ON channel_operators (user_id);
    """

  private static func restrictions(_ table: String) -> String {
    """
    CREATE TABLE \(table) (
      channel_id INTEGER NOT NULL REFERENCES channels ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
      starts_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL,
      description TEXT NOT NULL,
      PRIMARY KEY (channel_id, user_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX \(table)_by_user ON \(table) (user_id);
    """
  }
}

/// Messages and the other durable events of a channel.
enum MessagesSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: messages)
    try database.execute(script: events)
    try database.execute(script: orphans)
    try database.execute(script: withdrawals)
  }

  /// No foreign keys: messages outlive their author, and temporarily their channel too.
  private static let messages = """
    CREATE TABLE messages (
      message_id INTEGER PRIMARY KEY,
      channel_id INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      type TEXT NOT NULL,
      user_id TEXT,
      text TEXT NOT NULL,
      data TEXT NOT NULL,
      custom_type TEXT NOT NULL,
      mention_type TEXT NOT NULL,
      mentioned_users TEXT,
      metaarray TEXT,
      og_tag TEXT,
      translations TEXT,
      req_id TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX messages_by_time ON messages (channel_id, created_at, message_id);
    CREATE UNIQUE INDEX messages_by_seq ON messages (channel_id, seq);
    CREATE INDEX messages_by_request ON messages (channel_id, user_id, req_id)
      WHERE req_id IS NOT NULL;
    """

  /// The arrival of a message has no row: the message itself carries its `seq`.
  private static let events = """
    CREATE TABLE events (
      channel_id INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      kind TEXT NOT NULL,
      message_id INTEGER,
      payload TEXT,
      ts INTEGER NOT NULL,
      PRIMARY KEY (channel_id, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX events_by_message ON events (channel_id, message_id)
      WHERE message_id IS NOT NULL;
    """

  /// Requests whose message was deleted, kept as long as they may be repeated.
  private static let withdrawals = """
    CREATE TABLE withdrawn_requests (
      channel_id INTEGER NOT NULL,
      user_id TEXT NOT NULL,
      req_id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (channel_id, user_id, req_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX withdrawn_requests_by_time ON withdrawn_requests (created_at);
    """

  /// Deleted channels whose messages and events have not been removed yet.
  private static let orphans = """
    CREATE TABLE orphaned_channels (channel_id INTEGER PRIMARY KEY) STRICT;
    """
}

/// Tables independent of channels: limits by custom type, counters of the deployment, the probe.
enum ServiceSchema {
  static func create(_ database: Database) throws {
    try database.execute(
      script: """
        CREATE TABLE limits (
          scope TEXT NOT NULL,
          name TEXT NOT NULL,
          kind TEXT NOT NULL,
          messages INTEGER NOT NULL,
          window_ms INTEGER NOT NULL,
          PRIMARY KEY (scope, name, kind)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE meta (
          key TEXT NOT NULL PRIMARY KEY,
          value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE probe (
          id INTEGER PRIMARY KEY,
          body BLOB NOT NULL
        ) STRICT;
        """)
  }
}
