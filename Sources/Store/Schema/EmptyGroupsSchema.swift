import ParleyProtocol
import SQLite

/// The time since which a group has no members.
enum EmptyGroupsSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(integer: "INTEGER"))
  }

  static let postgreSQL = script(integer: "bigint")

  /// The time of the last message stands for the unknown one of groups that are empty already.
  private static func script(integer: String) -> String {
    """
    ALTER TABLE groups ADD COLUMN empty_since \(integer);
    UPDATE groups SET empty_since = (
      SELECT CASE WHEN last_created_at > created_at THEN last_created_at ELSE created_at END
      FROM channels WHERE channels.channel_id = groups.channel_id)
    WHERE member_count = 0;
    CREATE INDEX groups_by_emptiness ON groups (empty_since, channel_id)
      WHERE empty_since IS NOT NULL;
    """
  }
}
