import SQLite

/// Deleted groups whose members are removed step by step.
///
/// `orphaned_channels` has the URL of a deleted group, and the number of its deletion among the changes. Its
/// `members` remain until a step has turned them into departures with this number.
enum DeletedGroupsSchema {
  static let steps = [
    MigrationStep("keeping members of deleted groups for a while") {
      try $0.execute(script: script)
    }
  ]

  /// Without the foreign key, which removes all members at once.
  static let postgreSQL = """
    ALTER TABLE orphaned_channels ADD COLUMN url text COLLATE "C";
    ALTER TABLE orphaned_channels ADD COLUMN changed_at bigint NOT NULL DEFAULT 0;
    ALTER TABLE members DROP CONSTRAINT members_channel_id_fkey;
    """

  /// A foreign key of a table of SQLite is removed by copying the table.
  private static let script = """
    ALTER TABLE orphaned_channels ADD COLUMN url TEXT;
    ALTER TABLE orphaned_channels ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE new_members (
      channel_id INTEGER NOT NULL,
      user_id TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
      state INTEGER NOT NULL,
      inviter_id TEXT,
      invited_at INTEGER NOT NULL DEFAULT 0,
      joined_at INTEGER NOT NULL DEFAULT 0,
      added_at INTEGER NOT NULL,
      visible_from INTEGER NOT NULL DEFAULT 0,
      read_ordinal INTEGER NOT NULL DEFAULT 0,
      floor_ordinal INTEGER NOT NULL DEFAULT 0,
      own_after INTEGER NOT NULL DEFAULT 0,
      hidden INTEGER NOT NULL DEFAULT 0,
      count_preference INTEGER NOT NULL DEFAULT 0,
      read_at INTEGER NOT NULL DEFAULT 0,
      hidden_ordinal INTEGER NOT NULL DEFAULT 0,
      changed_at INTEGER NOT NULL DEFAULT 0,
      delivered_at INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (channel_id, user_id)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO new_members (\(columns)) SELECT \(columns) FROM members;
    DROP TABLE members;
    ALTER TABLE new_members RENAME TO members;
    CREATE INDEX members_by_user ON members (user_id, state, channel_id);
    CREATE INDEX members_by_time ON members (channel_id, added_at, user_id);
    """

  private static let columns = """
    channel_id, user_id, state, inviter_id, invited_at, joined_at, added_at, visible_from, read_ordinal,
    floor_ordinal, own_after, hidden, count_preference, read_at, hidden_ordinal, changed_at, delivered_at
    """
}
