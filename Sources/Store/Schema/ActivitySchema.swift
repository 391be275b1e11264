import SQLite

/// The times of the last messages of open channels, by which they can be listed.
///
/// The time is raised only by the first message in a minute: each message rewrites the row of its channel, but an
/// index of the row is rewritten at most once a minute.
enum ActivitySchema {
  static let minute: Int64 = 60_000

  static func create(_ database: Database) throws {
    try database.execute(script: script(integer: "INTEGER"))
  }

  static let postgreSQL = script(integer: "bigint")

  private static func script(integer: String) -> String {
    """
    ALTER TABLE channels ADD COLUMN active_at \(integer) NOT NULL DEFAULT 0;
    UPDATE channels SET active_at = last_created_at WHERE is_group = 0 AND last_created_at > 0;
    CREATE INDEX open_channels_by_activity ON channels (active_at, created_at, channel_id)
      WHERE is_group = 0;
    """
  }
}
