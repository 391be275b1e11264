import SQLite

/// The order of the restrictions of all channels: by their beginning.
enum RestrictionsSchema {
  static func create(_ database: Database) throws { try database.execute(script: script) }

  /// The same in both databases.
  static let script = """
    CREATE INDEX bans_by_start ON bans (starts_at, channel_id, user_id);
    CREATE INDEX mutes_by_start ON mutes (starts_at, channel_id, user_id);
    """
}
