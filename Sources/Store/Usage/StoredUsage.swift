import Channels
import ParleyProtocol

/// The size of what a deployment stores.
///
/// Reads a row of each channel, group, user and file; messages are counted in their channels.
package struct StoredUsage: StoreQuery {
  /// A channel, or a user, with a number and a size.
  package struct Item: Sendable, Hashable {
    /// The URL of a channel, or the id of a user.
    package var name: String
    /// Messages of a channel, files of a user.
    package var count: Int64
    /// Bytes of the files.
    package var byteCount: Int64
  }

  package struct Outcome: Sendable, Hashable {
    package var userCount: Int64 = 0
    package var openChannelCount: Int64 = 0
    package var groupCount: Int64 = 0
    package var messageCount: Int64 = 0
    package var size = StoredSize.Outcome()
    package var fileCount: Int64 = 0
    package var fileByteCount: Int64 = 0
    package var thumbnailByteCount: Int64 = 0
    /// The channels with the most messages.
    package var topChannels: [Item] = []
    /// The users with the most bytes of files.
    package var topUsers: [Item] = []
  }

  /// The number of channels and users that are named.
  static let topCount = 20

  package init() {}

  package var statements: ReadStatements<Outcome> {
    .init { transaction in
      let connection = transaction.connection
      var usage = Outcome()
      usage.size = try transaction.storedSize(countingMessages: false)
      usage.userCount =
        try connection.first("SELECT count(*) FROM users", []) { $0[0] as Int64 } ?? 0
      for row in try connection.all(
        """
        SELECT is_group, count(*), CAST(coalesce(sum(message_count), 0) AS bigint) FROM channels
        GROUP BY is_group
        """, [], { (isGroup: $0[0] as Bool, count: $0[1] as Int64, messages: $0[2] as Int64) })
      {
        if row.isGroup { usage.groupCount = row.count } else { usage.openChannelCount = row.count }
        usage.messageCount += row.messages
      }
      usage.topChannels = try connection.all(
        """
        SELECT url, message_count FROM channels WHERE message_count > 0
        ORDER BY message_count DESC, channel_id LIMIT ?
        """, [Self.topCount]
      ) { Item(name: $0[0], count: $0[1], byteCount: 0) }
      let files = try connection.first(
        "SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint) FROM files", []
      ) { (count: $0[0] as Int64, bytes: $0[1] as Int64) }
      (usage.fileCount, usage.fileByteCount) = files ?? (0, 0)
      usage.topUsers = try connection.all(
        """
        SELECT user_id, count(*), CAST(coalesce(sum(size), 0) AS bigint) AS bytes FROM files
        WHERE user_id <> '' GROUP BY user_id ORDER BY bytes DESC, user_id LIMIT ?
        """, [Self.topCount]
      ) { Item(name: $0[0], count: $0[1], byteCount: $0[2]) }
      usage.thumbnailByteCount =
        try connection.first(
          "SELECT CAST(coalesce(sum(size), 0) AS bigint) FROM thumbnails", []
        ) { $0[0] as Int64 } ?? 0
      return usage
    }
  }
}

/// The size of the database, and the number of messages if it is needed: each channel has a row with its own.
package struct StoredSize: StoreQuery {
  package struct Outcome: Sendable, Hashable {
    /// The bytes of the database in use: space that deletions have freed does not count in SQLite.
    package var databaseByteCount: Int64 = 0
    /// 0 if messages are not counted.
    package var messageCount: Int64 = 0

    package init(databaseByteCount: Int64 = 0, messageCount: Int64 = 0) {
      self.databaseByteCount = databaseByteCount
      self.messageCount = messageCount
    }
  }

  package var countsMessages: Bool

  package init(countingMessages: Bool) { countsMessages = countingMessages }

  package var statements: ReadStatements<Outcome> {
    .init { try $0.storedSize(countingMessages: countsMessages) }
  }
}

extension StoreTransaction {
  fileprivate func storedSize(countingMessages: Bool) throws -> StoredSize.Outcome {
    let bytes = try connection.first(
      StoreStatement(
        sqlite: """
          SELECT (pages.page_count - free.freelist_count) * sizes.page_size
          FROM pragma_page_count AS pages, pragma_freelist_count AS free, pragma_page_size AS sizes
          """,
        postgreSQL: "SELECT pg_database_size(current_database())"), []
    ) { $0[0] as Int64 }
    let messages =
      countingMessages
      ? try connection.first(
        "SELECT CAST(coalesce(sum(message_count), 0) AS bigint) FROM channels", []
      ) { $0[0] as Int64 } : nil
    return StoredSize.Outcome(databaseByteCount: bytes ?? 0, messageCount: messages ?? 0)
  }
}

/// The size of what a user has stored.
package struct StoredUserUsage: StoreLookup {
  package struct Outcome: Sendable, Hashable {
    package var joinedGroupCount: Int64 = 0
    package var createdGroupCount: Int64 = 0
    package var operatedChannelCount: Int64 = 0
  }

  package var userID: String

  package init(of userID: String) { self.userID = userID }

  package var statements: ReadStatements<Outcome> {
    .init { transaction in
      try transaction.connection.first(
        """
        SELECT (SELECT count(*) FROM members \(.index("members_by_user"))
            WHERE user_id = ?1 AND state = \(MemberState.joined.stored)),
          (SELECT count(*) FROM groups WHERE creator_id = ?1),
          (SELECT count(*) FROM channel_operators WHERE user_id = ?1)
        """, [userID]
      ) {
        Outcome(joinedGroupCount: $0[0], createdGroupCount: $0[1], operatedChannelCount: $0[2])
      } ?? Outcome()
    }
  }
}
