import SQLite

/// Indexes that limit the work of one call: over the open uploads of a user, the channels that have a
/// file, and the expired restrictions of a channel.
enum IndexesSchema {
  static func create(_ database: Database) throws { try database.execute(script: script) }

  /// The same in both databases.
  static let script = """
    CREATE INDEX uploads_by_open_user ON uploads (user_id, expires_at, size) WHERE stage = 'open';
    CREATE INDEX file_messages_by_file_channel
      ON file_messages (file_id, channel_id, message_id);
    DROP INDEX file_messages_by_file;
    CREATE INDEX bans_by_end ON bans (channel_id, ends_at);
    CREATE INDEX mutes_by_end ON mutes (channel_id, ends_at);
    """
}
