import ParleyProtocol

/// Finds channels with messages older than a time, on one page of all channels.
package struct ExpiryQuery: StoreQuery {
  package struct Page: Sendable, Hashable {
    /// The store's own numbers of the channels.
    package var channelIDs: [Int64]
    /// The channel after which the next page starts; `nil` on the last page.
    package var next: Int64?
  }

  /// The channel after which the page starts; 0 for the first page.
  package var position: Int64
  /// Unix milliseconds.
  package var horizon: Int64
  /// Maximum number of channels on a page, with old messages or without.
  package var limit: Int

  package init(after position: Int64, olderThan horizon: Int64, limit: Int = 1_000) {
    self.position = position
    self.horizon = horizon
    self.limit = limit
  }

  package var statements: ReadStatements<Page> {
    .init { try $0.channelsWithMessages(self) }
  }
}

/// Removes the oldest messages of a channel, with the files that no other message uses.
///
/// No event is recorded: participants keep the messages already shown, and lists and recoveries omit the
/// removed ones. Outcome: the number of removed messages; fewer than ``limit`` when none remain.
package struct MessageExpiry: StoreWrite {
  /// The store's own number of the channel.
  package var channelID: Int64
  /// Unix milliseconds: messages from this time on are kept.
  package var horizon: Int64
  /// Maximum number of messages removed at a time, which takes a few milliseconds.
  package var limit: Int

  package init(of channelID: Int64, olderThan horizon: Int64, limit: Int = 300) {
    self.channelID = channelID
    self.horizon = horizon
    self.limit = limit
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Int> { .init { try $0.expireMessages(self) } }
}

extension StoreTransaction {
  func channelsWithMessages(_ query: ExpiryQuery) throws -> ExpiryQuery.Page {
    let oldest = try connection.all(
      """
      SELECT channel_id, (
        SELECT min(created_at) FROM messages \(.index("messages_by_time"))
        WHERE channel_id = channels.channel_id)
      FROM channels WHERE channel_id > ? ORDER BY channel_id LIMIT ?
      """, [query.position, query.limit]
    ) { (channelID: $0[0] as Int64, time: $0[1] as Int64?) }
    return ExpiryQuery.Page(
      channelIDs: oldest.filter { ($0.time ?? .max) < query.horizon }.map(\.channelID),
      next: oldest.count < query.limit ? nil : oldest.last?.channelID)
  }
}

extension WriteTransaction {
  /// Messages that another server is changing or removing are skipped until the next time.
  func expireMessages(_ expiry: MessageExpiry) throws -> Int {
    let ids = try connection.all(
      """
      SELECT message_id FROM messages \(.index("messages_by_time"))
      WHERE channel_id = ? AND created_at < ? ORDER BY created_at, message_id LIMIT ?
      \(.skippingLocked)
      """, [expiry.channelID, expiry.horizon, expiry.limit]
    ) { $0[0] as Int64 }
    guard !ids.isEmpty else { return 0 }
    try retainMaximumMessageID(among: "message_id \(.isAnyOf)", [StoreValue.integers(ids)])
    let lastOrdinal = try connection.first(
      "SELECT max(ordinal) FROM messages WHERE message_id \(.isAnyOf)", [StoreValue.integers(ids)]
    ) { $0[0] as Int64? }
    try connection.execute(
      "DELETE FROM messages WHERE message_id \(.isAnyOf)", [StoreValue.integers(ids)])
    if let ordinal = lastOrdinal ?? nil {
      try raiseFloor(to: ordinal, channelID: expiry.channelID)
      try recountOwnMessages(channelID: expiry.channelID)
    }
    try connection.execute(
      "DELETE FROM events WHERE channel_id = ? AND message_id \(.isAnyOf) AND kind = ?",
      [expiry.channelID, StoreValue.integers(ids), EventName.messageUpdated.rawValue])
    try connection.execute(
      "UPDATE channels SET message_count = message_count - ? WHERE channel_id = ?",
      [ids.count, expiry.channelID])
    connection.mayHaveRemains = true
    return ids.count
  }
}
