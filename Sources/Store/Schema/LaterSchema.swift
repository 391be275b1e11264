import SQLite
import Search

/// Tables and columns of the Platform API: more on users, channels and messages, tokens and counters.
enum PlatformSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: users)
    try foldNicknames(database)
    try database.execute(script: channels)
    try database.execute(script: messages)
    try database.execute(script: tokens)
  }

  /// `nickname_folded` is the nickname in lower case, for case-insensitive search.
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

  /// Few messages are sent by operators, so an index of all messages would be inefficient for them.
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

  /// SQLite's own `lower` supports ASCII only.
  private static func foldNicknames(_ database: Database) throws {
    try database.withFunction("parley_fold", { $0.lowercased() }) {
      try database.execute(
        "UPDATE users SET nickname_folded = parley_fold(nickname) WHERE nickname <> ''")
    }
  }
}

/// Events waiting for webhooks, and the progress of each URL.
enum WebhooksSchema {
  static func create(_ database: Database) throws {
    try database.execute(
      script: """
        CREATE TABLE webhook_events (
          event_id INTEGER PRIMARY KEY AUTOINCREMENT,
          channel_url TEXT NOT NULL,
          kind TEXT NOT NULL,
          seq INTEGER NOT NULL,
          ts INTEGER NOT NULL,
          body TEXT NOT NULL
        ) STRICT;
        CREATE INDEX webhook_events_by_channel ON webhook_events (channel_url, event_id);
        CREATE TABLE webhook_receivers (
          receiver_id INTEGER PRIMARY KEY AUTOINCREMENT,
          url TEXT NOT NULL UNIQUE,
          since INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE webhook_cursors (
          receiver_id INTEGER NOT NULL REFERENCES webhook_receivers ON DELETE CASCADE,
          channel_url TEXT NOT NULL,
          event_id INTEGER NOT NULL,
          PRIMARY KEY (receiver_id, channel_url)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX webhook_cursors_by_channel ON webhook_cursors (channel_url);
        """)
  }
}

/// The files of messages.
enum FilesSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: files)
    try database.execute(script: removal)
  }

  /// Messages refer to their uploaded file, so that its address can be composed when it is read.
  static func nameInMessages(_ database: Database) throws {
    try database.execute(
      script: """
        UPDATE messages SET file = json_set(messages.file, '$.id', files.file_id) FROM files
        WHERE messages.message_id = files.message_id AND messages.file IS NOT NULL
        """)
  }

  /// No foreign keys: a message that an ephemeral channel did not store may still have a file.
  private static let files = """
    CREATE TABLE files (
      file_id TEXT NOT NULL PRIMARY KEY,
      channel_id INTEGER NOT NULL,
      message_id INTEGER NOT NULL,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      size INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX files_by_message ON files (message_id);
    CREATE INDEX files_by_channel ON files (channel_id);
    """

  /// Files to be removed from the disk; any removal of a message adds its file.
  private static let removal = """
    CREATE TABLE removed_files (file_id TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TRIGGER files_of_removed_messages AFTER DELETE ON messages WHEN old.type = 'FILE'
    BEGIN
      INSERT OR IGNORE INTO removed_files (file_id)
        SELECT file_id FROM files WHERE message_id = old.message_id;
      DELETE FROM files WHERE message_id = old.message_id;
    END;
    """
}

/// The schema for lists: indexes of messages for filters, the number of a channel's messages, and
/// case-folded names, so that search ignores case in every language.
enum ListsSchema {
  static let steps: [MigrationStep] = [
    MigrationStep("indexing messages by custom type") { try $0.execute(script: customTypes) },
    MigrationStep("indexing messages by type") { try $0.execute(script: types) },
    MigrationStep("indexing messages by sender") { try $0.execute(script: senders) },
    MigrationStep("counting messages") { try $0.execute(script: counts) },
    MigrationStep("folding names", foldNames),
  ]

  /// Most messages are texts of users without a custom type: they have no entries in these indexes.
  private static let customTypes = """
    CREATE INDEX messages_by_custom_type
      ON messages (channel_id, custom_type, created_at, message_id) WHERE custom_type <> ''
    """
  private static let types = """
    CREATE INDEX messages_by_type
      ON messages (channel_id, type, created_at, message_id) WHERE type <> 'MESG'
    """

  private static let senders = """
    CREATE INDEX messages_by_sender ON messages (channel_id, user_id, created_at, message_id)
    """

  private static let counts = """
    ALTER TABLE channels ADD COLUMN message_count INTEGER NOT NULL DEFAULT 0;
    UPDATE channels SET message_count =
      (SELECT count(*) FROM messages INDEXED BY messages_by_seq
       WHERE messages.channel_id = channels.channel_id);
    """

  /// They were lower-cased, which does not make `ß` and `SS` equal.
  private static func foldNames(_ database: Database) throws {
    for (table, folded, name) in [
      ("channels", "name_folded", "name"), ("users", "nickname_folded", "nickname"),
    ] {
      try database.withFunction("parley_fold", { $0.caseFolded }) {
        try database.execute(
          """
          UPDATE \(table) SET \(folded) = parley_fold(\(name)) WHERE \(folded) <> parley_fold(\(name))
          """)
      }
    }
  }
}
