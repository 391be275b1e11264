import SQLite

/// Channels, and who may do what in them.
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

  /// AUTOINCREMENT: the number of a deleted channel is never another's.
  ///
  /// `name_folded` is the name in lower case, for searching without regard to case.
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
