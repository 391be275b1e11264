import SQLite

/// Events on their way to webhooks, and how far each URL has got.
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
