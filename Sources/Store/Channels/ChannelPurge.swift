/// Whether deleted channels have rows left to remove.
enum PurgeProgress {
  case finished
  case unfinished
}

/// Removes the members of deleted groups, and the messages, with the records of deleted ones and of mentions, and the
/// events of deleted channels, step by step.
///
/// A channel may hold millions of them; removing them at once would block all messages for many seconds.
/// They are not visible in the meantime: their channel is gone, and its number is never assigned to
/// another channel. The changes of a member's groups have the deletion from the beginning, and until it is too
/// old to be listed: a step turns members into departures with the same number.
enum ChannelPurge {
  /// Maximum members, messages, events, records or files removed by one step, which takes some milliseconds.
  static let rowLimit = 1_000

  /// Schedules a deleted channel's members, messages and events for removal in later steps.
  ///
  /// - Parameter groupURL: The URL of a group; `nil` for an open channel.
  static func schedule(
    _ channelID: Int64, groupURL: String?, on connection: StoreConnection
  ) throws {
    try connection.execute(
      """
      INSERT INTO orphaned_channels (channel_id, url, changed_at) VALUES (?, ?, \(.nextChange))
      """, [channelID, groupURL])
    connection.mayHaveRemains = true
  }

  /// Removes some rows in a transaction of its own; skips channels that another server is purging.
  static func step(on connection: StoreConnection) throws -> PurgeProgress {
    guard try orphan(on: connection, "") != nil else { return .finished }
    return try connection.inTransaction {
      guard let channelID = try orphan(on: connection, .skippingLocked) else { return .finished }
      try remove(channelID, on: connection)
      return .unfinished
    }
  }

  private static func orphan(
    on connection: StoreConnection, _ lock: StoreStatement
  ) throws -> Int64? {
    try connection.first("SELECT channel_id FROM orphaned_channels LIMIT 1 \(lock)", []) { $0[0] }
  }

  private static func remove(_ channelID: Int64, on connection: StoreConnection) throws {
    guard try removeMembers(ofGroup: channelID, on: connection) < rowLimit else { return }
    let count = try connection.change(
      """
      DELETE FROM messages WHERE message_id IN
        (SELECT message_id FROM messages \(.index("messages_by_seq")) WHERE channel_id = ? LIMIT ?)
      """, [channelID, rowLimit])
    guard count < rowLimit else { return }
    // Rows that another transaction removed in the meantime are not counted.
    let isEmpty =
      try connection.first(
        "SELECT 1 FROM messages \(.index("messages_by_seq")) WHERE channel_id = ? LIMIT 1",
        [channelID]
      ) { _ in true } == nil
    guard isEmpty else { return }
    let events = try connection.change(
      """
      DELETE FROM events WHERE channel_id = ?1
        AND seq IN (SELECT seq FROM events WHERE channel_id = ?1 LIMIT ?2)
      """, [channelID, rowLimit])
    guard events < rowLimit else { return }
    for table in ["uncounted", "mentions", "channel_mentions"] {
      let rows = try connection.change(
        """
        DELETE FROM \(table) WHERE channel_id = ?1
          AND ordinal IN (SELECT ordinal FROM \(table) WHERE channel_id = ?1 LIMIT ?2)
        """, [channelID, rowLimit])
      guard rows < rowLimit else { return }
    }
    let changes = try connection.change(
      """
      DELETE FROM message_changes WHERE channel_id = ?1
        AND message_id IN (SELECT message_id FROM message_changes WHERE channel_id = ?1 LIMIT ?2)
      """, [channelID, rowLimit])
    guard changes < rowLimit else { return }
    let imports = try connection.change(
      """
      DELETE FROM imports WHERE channel_id = ?1
        AND dedup_id IN (SELECT dedup_id FROM imports WHERE channel_id = ?1 LIMIT ?2)
      """, [channelID, rowLimit])
    guard imports < rowLimit else { return }
    let files = try FileRows.remove(ofChannel: channelID, limit: rowLimit, on: connection)
    guard files < rowLimit else { return }
    try connection.execute("DELETE FROM orphaned_channels WHERE channel_id = ?", [channelID])
  }
  /// - Returns: The number of members for which there was a row.
  private static func removeMembers(
    ofGroup channelID: Int64, on connection: StoreConnection
  ) throws -> Int {
    let ids = try connection.all(
      "SELECT user_id FROM members WHERE channel_id = ? LIMIT ?", [channelID, rowLimit]
    ) { $0[0] as String }
    guard !ids.isEmpty else { return 0 }
    // They cannot be deleted before the transaction ends.
    let users = try connection.all(
      "SELECT user_id FROM users WHERE user_id \(.isAnyOf) \(.keepingKey)", [StoreValue.texts(ids)]
    ) { $0[0] as String }
    try connection.execute(
      """
      INSERT INTO departures (user_id, url, changed_at)
      SELECT users.user_id, o.url, o.changed_at FROM orphaned_channels AS o CROSS JOIN users
      WHERE o.channel_id = ? AND o.url IS NOT NULL AND users.user_id \(.isAnyOf)
      ON CONFLICT (user_id, url) DO UPDATE SET changed_at = excluded.changed_at
        WHERE excluded.changed_at > departures.changed_at
      """, [channelID, StoreValue.texts(users)])
    try connection.execute(
      "DELETE FROM members WHERE channel_id = ? AND user_id \(.isAnyOf)",
      [channelID, StoreValue.texts(ids)])
    return ids.count
  }
}
