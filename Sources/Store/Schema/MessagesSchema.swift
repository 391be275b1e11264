import SQLite

/// Messages and the other durable events of a channel.
enum MessagesSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: messages)
    try database.execute(script: events)
    try database.execute(script: orphans)
    try database.execute(script: withdrawals)
  }

  /// No foreign keys: messages outlive their author, and for a while their channel too.
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

  /// A message's arrival has no row here: the message carries its own `seq`.
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

  /// Requests whose message was deleted, for as long as they may be repeated.
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

  /// Deleted channels whose messages and events are still to be removed.
  private static let orphans = """
    CREATE TABLE orphaned_channels (channel_id INTEGER PRIMARY KEY) STRICT;
    """
}
