import SQLite

/// Groups: channels with members, the count of their messages, and the choice of users whether they join
/// a group when they are invited.
enum GroupsSchema {
  static let steps = [
    MigrationStep("adding groups") { try $0.execute(script: script(.sqlite)) }
  ]

  static let postgreSQL = script(.postgreSQL)

  /// The names of types in a database.
  private struct Types {
    var integer: String
    var flag: String
    var text: String
    /// A text that is compared as bytes.
    var key: String
    /// The end of a table without a number for each row.
    var end: String

    static let sqlite = Types(
      integer: "INTEGER", flag: "INTEGER", text: "TEXT", key: "TEXT",
      end: ") STRICT, WITHOUT ROWID")
    static let postgreSQL = Types(
      integer: "bigint", flag: "smallint", text: "text", key: "text COLLATE \"C\"", end: ")")
  }

  private static func script(_ types: Types) -> String {
    """
    ALTER TABLE users ADD COLUMN accepts_invitations \(types.flag) NOT NULL DEFAULT 1;
    ALTER TABLE messages ADD COLUMN ordinal \(types.integer);
    \(channels(types))
    \(groups(types))
    \(members(types))
    """
  }

  /// Each message rewrites the row of its channel, so only what changes with messages is there.
  ///
  /// Lists of open channels read no row of a group: their index has only open channels.
  private static func channels(_ types: Types) -> String {
    """
    ALTER TABLE channels ADD COLUMN is_group \(types.flag) NOT NULL DEFAULT 0;
    ALTER TABLE channels ADD COLUMN last_ordinal \(types.integer) NOT NULL DEFAULT 0;
    CREATE INDEX open_channels_by_age ON channels (created_at, channel_id) WHERE is_group = 0;
    DROP INDEX channels_by_age;
    """
  }

  /// The properties of groups that messages do not change.
  private static func groups(_ types: Types) -> String {
    """
    CREATE TABLE groups (
      channel_id \(types.integer) NOT NULL PRIMARY KEY REFERENCES channels ON DELETE CASCADE,
      is_distinct \(types.flag) NOT NULL,
      is_public \(types.flag) NOT NULL,
      access_code \(types.text) NOT NULL,
      creator_id \(types.key),
      member_count \(types.integer) NOT NULL,
      joined_count \(types.integer) NOT NULL,
      distinct_key \(types.key)
    \(types.end);
    CREATE UNIQUE INDEX groups_by_distinct_key ON groups (distinct_key)
      WHERE distinct_key IS NOT NULL;
    """
  }

  /// `state` is the number of a ``MemberState``; `added_at` is the time at which the user became a member,
  /// invited or joined.
  ///
  /// Positions of reading are ordinals. `own_after` is the number of the member's own messages after its
  /// position.
  private static func members(_ types: Types) -> String {
    """
    CREATE TABLE members (
      channel_id \(types.integer) NOT NULL REFERENCES channels ON DELETE CASCADE,
      user_id \(types.key) NOT NULL REFERENCES users ON DELETE CASCADE,
      state \(types.flag) NOT NULL,
      inviter_id \(types.key),
      invited_at \(types.integer) NOT NULL DEFAULT 0,
      joined_at \(types.integer) NOT NULL DEFAULT 0,
      added_at \(types.integer) NOT NULL,
      visible_from \(types.integer) NOT NULL DEFAULT 0,
      read_ordinal \(types.integer) NOT NULL DEFAULT 0,
      floor_ordinal \(types.integer) NOT NULL DEFAULT 0,
      own_after \(types.integer) NOT NULL DEFAULT 0,
      hidden \(types.flag) NOT NULL DEFAULT 0,
      preferences \(types.text),
      PRIMARY KEY (channel_id, user_id)
    \(types.end);
    CREATE INDEX members_by_user ON members (user_id, state, channel_id);
    CREATE INDEX members_by_time ON members (channel_id, added_at, user_id);
    """
  }
}
