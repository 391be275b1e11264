import SQLite

/// The messages of groups that mention members, by which unread mentions are counted.
enum MentionsSchema {
  static let steps = [
    MigrationStep("adding mentions in groups") {
      try $0.execute(
        script: script(
          integer: "INTEGER", key: "TEXT", end: ") STRICT, WITHOUT ROWID",
          mentioned: "json_each(messages.mentioned_users) AS mentioned"))
    }
  ]

  static let postgreSQL = script(
    integer: "bigint", key: "text COLLATE \"C\"", end: ")",
    mentioned: """
      json_array_elements_text(messages.mentioned_users::json) AS mentioned (value)
      """)

  /// The statements, which differ in the names of types, and in how a list is read.
  ///
  /// A message is in one of the tables: it mentions some users, or all members. The author is `NULL` for an
  /// admin message.
  ///
  /// No foreign key: the rows of a deleted channel and of a deleted user are removed step by step.
  private static func script(
    integer: String, key: String, end: String, mentioned: String
  ) -> String {
    """
    CREATE TABLE mentions (
      user_id \(key) NOT NULL,
      channel_id \(integer) NOT NULL,
      ordinal \(integer) NOT NULL,
      author_id \(key),
      PRIMARY KEY (user_id, channel_id, ordinal)
    \(end);
    CREATE INDEX mentions_by_message ON mentions (channel_id, ordinal);
    CREATE TABLE channel_mentions (
      channel_id \(integer) NOT NULL,
      ordinal \(integer) NOT NULL,
      author_id \(key),
      PRIMARY KEY (channel_id, ordinal)
    \(end);
    INSERT INTO mentions (user_id, channel_id, ordinal, author_id)
    SELECT DISTINCT mentioned.value, messages.channel_id, messages.ordinal, messages.user_id
    FROM groups JOIN messages ON messages.channel_id = groups.channel_id CROSS JOIN \(mentioned)
    WHERE messages.ordinal > 0 AND messages.mention_type = 'users'
      AND messages.mentioned_users IS NOT NULL
      AND mentioned.value <> coalesce(messages.user_id, '')
      AND \(StoreStatement.isCounted.sqlite);
    INSERT INTO channel_mentions (channel_id, ordinal, author_id)
    SELECT messages.channel_id, messages.ordinal, messages.user_id
    FROM groups JOIN messages ON messages.channel_id = groups.channel_id
    WHERE messages.ordinal > 0 AND messages.mention_type = 'channel'
      AND \(StoreStatement.isCounted.sqlite);
    """
  }
}
