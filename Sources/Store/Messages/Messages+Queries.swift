import Channels
import ParleyProtocol

extension StoreTransaction {
  /// The current state of a message of a channel, with the `seq` of its arrival.
  func message(_ id: Int64, channelID: Int64) throws -> SequencedMessage? {
    try storedMessages(
      .primaryKey, "message_id = ? AND channel_id = ?", [id, channelID], channelID: channelID
    ).first
  }

  /// The messages that exist among these ids, by id.
  func messages(_ ids: [Int64], channelID: Int64) throws -> [Int64: Message] {
    guard !ids.isEmpty else { return [:] }
    let found = try storedMessages(
      .primaryKey, "message_id \(.isAnyOf) AND channel_id = ?",
      [StoreValue.integers(ids), channelID], channelID: channelID)
    return Dictionary(found.map { ($0.message.id, $0.message) }) { first, _ in first }
  }

  /// The message created by a user's request, or by a request of the Platform API itself.
  ///
  /// - Parameters:
  ///   - channelID: The store's own number of the channel.
  ///   - userID: The author; `nil` for admin messages.
  ///   - requestID: The request's name.
  ///   - since: Unix milliseconds; older messages are ignored.
  /// - Throws: `StoreError.notFound(.message)` when the message it created was deleted.
  func findByRequestID(
    channelID: Int64, userID: String?, requestID: String, since: Int64
  ) throws -> SequencedMessage? {
    if connection.keepsRequests {
      return try findKeptRequest(
        channelID: channelID, userID: userID, requestID: requestID, since: since)
    }
    let id = try connection.first(
      """
      SELECT message_id FROM messages \(.index("messages_by_request"))
      WHERE channel_id = ? AND user_id IS ? AND req_id = ? AND created_at > ?
      ORDER BY message_id LIMIT 1
      """, [channelID, userID, requestID, since]
    ) { $0[0] as Int64 }
    if let id { return try message(id, channelID: channelID) }
    let isWithdrawn = try connection.first(
      """
      SELECT 1 FROM withdrawn_requests
      WHERE channel_id = ? AND user_id = ? AND req_id = ? AND created_at > ?
      """, [channelID, userID ?? "", requestID, since]
    ) { $0[0] as Int64 }
    if isWithdrawn != nil { throw StoreError.notFound(.message) }
    return nil
  }

  /// The same where requests have a table of their own, in which withdrawn requests stay.
  private func findKeptRequest(
    channelID: Int64, userID: String?, requestID: String, since: Int64
  ) throws -> SequencedMessage? {
    let id = try connection.first(
      """
      SELECT message_id FROM requests
      WHERE channel_id = ? AND user_id = ? AND req_id = ? AND created_at > ?
      """, [channelID, userID ?? "", requestID, since]
    ) { $0[0] as Int64 }
    guard let id else { return nil }
    guard let found = try message(id, channelID: channelID) else {
      throw StoreError.notFound(.message)
    }
    return found
  }

  /// The message that a user's request, or one of the Platform API itself, imported with a time.
  ///
  /// Only the last messages of the millisecond are examined: a back end may give many the same time.
  func importedMessage(
    _ requestID: String, by userID: String?, channelID: Int64, at createdAt: Int64
  ) throws -> SequencedMessage? {
    let id = try connection.first(
      Self.importedMessage, [channelID, createdAt, userID, requestID]
    ) { $0[0] as Int64 }
    return try id.flatMap { try message($0, channelID: channelID) }
  }

  private static var importedMessage: StoreStatement {
    StoreStatement(
      sqlite: """
        SELECT message_id FROM messages INDEXED BY messages_by_request
        WHERE channel_id = ?1 AND created_at = ?2 AND user_id IS ?3 AND req_id = ?4
        ORDER BY message_id LIMIT 1
        """,
      postgreSQL: """
        SELECT message_id FROM (
          SELECT message_id, user_id, req_id FROM messages
          WHERE channel_id = ?1 AND created_at = ?2 ORDER BY message_id DESC LIMIT 1000) AS latest
        WHERE user_id IS NOT DISTINCT FROM ?3 AND req_id = ?4 ORDER BY message_id LIMIT 1
        """)
  }

  /// The largest message id ever assigned; 0 when none was.
  func maximumMessageID() throws -> Int64 {
    try connection.first(
      """
      SELECT \(.greater(
        "coalesce((SELECT max(message_id) FROM messages), 0)",
        "coalesce((SELECT value FROM meta WHERE key = 'max_message_id'), 0)"))
      """, []
    ) { $0[0] as Int64 } ?? 0
  }

  /// The newest messages of users after a time, oldest first: authors and times.
  ///
  /// Messages that took no place in a flood window are left out. Deleted messages count as long as their
  /// deletions are among the last events of the channel.
  ///
  /// - Parameters:
  ///   - channelID: The store's own number of the channel.
  ///   - time: Unix milliseconds.
  ///   - limit: Maximum number of messages to read.
  func recentSends(
    channelID: Int64, after time: Int64, limit: Int
  ) throws -> [RecentSend] {
    let kept = try connection.all(
      """
      SELECT message_id, user_id, created_at FROM messages \(.index("messages_by_time"))
      WHERE channel_id = ? AND created_at > ? AND user_id IS NOT NULL AND flood_exempt = 0
      ORDER BY created_at DESC, message_id DESC LIMIT ?
      """, [channelID, time, limit]
    ) { (id: $0[0] as Int64, send: RecentSend(userID: $0[1], createdAt: $0[2])) }
    let deleted = try deletedSends(channelID: channelID, after: time)
    return (kept + deleted)
      .sorted { ($0.send.createdAt, $0.id) < ($1.send.createdAt, $1.id) }
      .suffix(limit).map(\.send)
  }

  /// The deleted messages of users after a time, in no particular order.
  private func deletedSends(
    channelID: Int64, after time: Int64
  ) throws -> [(id: Int64, send: RecentSend)] {
    try connection.all(
      """
      SELECT message_id, payload FROM events
      WHERE channel_id = ? AND kind = ? AND payload IS NOT NULL
      """, [channelID, EventName.messageDeleted.rawValue]
    ) { row -> (id: Int64, send: RecentSend)? in
      let deletion = try StoredJSON.decode(StoredDeletion.self, from: row[1])
      guard let userID = deletion.userID, deletion.createdAt > time else { return nil }
      return (id: row[0], send: RecentSend(userID: userID, createdAt: deletion.createdAt))
    }.compactMap(\.self)
  }

  /// The number of messages in a channel; it is stored, not counted.
  func messageCount(channelID: Int64) throws -> Int {
    try connection.first(
      "SELECT message_count FROM channels WHERE channel_id = ?", [channelID]
    ) { $0[0] as Int } ?? 0
  }

  /// The existing users among these, each once, in the order given.
  func usersInOrder(_ ids: [String]) throws -> [User] {
    var known = try users(ids)
    return ids.compactMap { known.removeValue(forKey: $0) }
  }

  /// Messages with their users; none of a deleted channel, though some may not be removed yet.
  ///
  /// - Parameter clauses: The text after WHERE; written in the code, never external input.
  func storedMessages(
    _ index: MessageIndex, _ clauses: StoreStatement, _ arguments: StoreArguments, channelID: Int64
  ) throws -> [SequencedMessage] {
    guard let channelURL = try channelURL(channelID) else { return [] }
    let stored = try connection.all(
      "SELECT \(StoredMessage.columns) FROM messages \(index.clause) WHERE \(clauses)", arguments
    ) {
      try StoredMessage(row: $0, channelURL: channelURL, fileURL: connection.fileURL)
    }
    let userIDs = Set(stored.compactMap(\.userID)).union(stored.flatMap(\.mentionedIDs))
    let users = try users(userIDs)
    return stored.map { $0.sequenced(users) }
  }
}

/// The index to use: named in each query because SQLite, without statistics, would sometimes read a
/// whole channel to avoid a sort.
enum MessageIndex {
  case primaryKey
  case time
  case operators
  case seq
  case customType
  case type
  case sender

  var clause: StoreStatement {
    switch self {
    case .primaryKey: .primaryKey
    case .time: .index("messages_by_time")
    case .operators: .index("messages_by_operators")
    case .seq: .index("messages_by_seq")
    case .customType: .index("messages_by_custom_type")
    case .type: .index("messages_by_type")
    case .sender: .index("messages_by_sender")
    }
  }
}

/// Reads the number of messages in a channel; it is stored, not counted.
package struct MessageCount: StoreLookup {
  /// The store's own number of the channel.
  package var channelID: Int64

  package init(channelID: Int64) { self.channelID = channelID }

  package var statements: ReadStatements<Int> {
    .init { try $0.messageCount(channelID: channelID) }
  }
}

/// Reads the largest message id ever assigned; 0 when none was.
package struct LargestMessageID: StoreLookup {
  package init() {}

  package var statements: ReadStatements<Int64> { .init { try $0.maximumMessageID() } }
}
