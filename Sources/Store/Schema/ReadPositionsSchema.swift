import ParleyProtocol
import SQLite

/// How far members have read their groups, and the deleted messages, which nobody counts as unread.
enum ReadPositionsSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(integer: "INTEGER", end: ") STRICT, WITHOUT ROWID"))
  }

  static let postgreSQL = script(integer: "bigint", end: ")")

  /// The statements, which differ in the names of types only.
  ///
  /// `members.read_at` is the time of the message at `read_ordinal`. `hidden_ordinal` is the last message
  /// when the member hid the group; `count_preference` is the number of a ``CountPreference``.
  /// `groups.floor_ordinal` is the last message that has expired.
  ///
  /// Members have read the messages that are there, since nothing is known about who read or deleted them.
  ///
  /// No foreign key: the rows of a deleted channel are removed step by step.
  private static func script(integer: String, end: String) -> String {
    """
    ALTER TABLE members DROP COLUMN preferences;
    ALTER TABLE members ADD COLUMN count_preference \(integer) NOT NULL DEFAULT 0;
    ALTER TABLE members ADD COLUMN read_at \(integer) NOT NULL DEFAULT 0;
    ALTER TABLE members ADD COLUMN hidden_ordinal \(integer) NOT NULL DEFAULT 0;
    ALTER TABLE groups ADD COLUMN floor_ordinal \(integer) NOT NULL DEFAULT 0;
    CREATE TABLE uncounted (
      channel_id \(integer) NOT NULL,
      ordinal \(integer) NOT NULL,
      message_id \(integer) NOT NULL,
      created_at \(integer) NOT NULL,
      PRIMARY KEY (channel_id, ordinal)
    \(end);
    CREATE INDEX uncounted_by_message ON uncounted (message_id);
    CREATE INDEX groups_by_age ON channels (created_at, channel_id) WHERE is_group = 1;
    UPDATE members SET
      read_ordinal = (
        SELECT last_ordinal FROM channels WHERE channels.channel_id = members.channel_id),
      floor_ordinal = (
        SELECT last_ordinal FROM channels WHERE channels.channel_id = members.channel_id),
      read_at = (
        SELECT last_created_at FROM channels WHERE channels.channel_id = members.channel_id)
    WHERE state = \(MemberState.joined.stored);
    """
  }
}
