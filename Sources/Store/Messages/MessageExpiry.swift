package import Channels
import ParleyProtocol

/// Finds channels with messages past their retention, on one page of channels.
package struct ExpiryQuery: StoreQuery {
  /// The channels that are looked at.
  package enum Scope: Sendable, Hashable {
    case all
    /// Those with a time of their own, which may be short.
    case withOwnTime
  }

  package struct Page: Sendable, Hashable {
    package var channels: [ExpiringChannel]
    /// The channel after which the next page starts; `nil` on the last page.
    package var next: Int64?
  }

  package var scope: Scope
  package var rules: RetentionRules
  /// The channel after which the page starts; 0 for the first page.
  package var position: Int64
  /// Unix milliseconds.
  package var now: Int64
  /// Maximum number of channels on a page, with old messages or without.
  package var limit: Int

  package init(
    _ scope: Scope, by rules: RetentionRules, after position: Int64, at now: Int64,
    limit: Int = 1_000
  ) {
    self.scope = scope
    self.rules = rules
    self.position = position
    self.now = now
    self.limit = limit
  }

  package var statements: ReadStatements<Page> {
    .init { try $0.expiringChannels(self) }
  }
}

/// A channel with messages past their retention.
package struct ExpiringChannel: Sendable, Hashable {
  /// The store's own number of the channel.
  package var id: Int64
  /// The age at which its messages are removed, in milliseconds; `nil` if only their number is limited.
  package var lifetime: Int64?
  /// Unix milliseconds: messages from this time on are kept.
  package var horizon: Int64
  /// The number of messages that are kept; 0 keeps all that are young enough.
  package var messageCount: Int

  package init(_ id: Int64, lifetime: Int64?, horizon: Int64, messageCount: Int = 0) {
    self.id = id
    self.lifetime = lifetime
    self.horizon = horizon
    self.messageCount = messageCount
  }
}

/// Removes the oldest messages of a channel, with the files that no other message uses.
///
/// No event is recorded: participants keep the messages already shown, and lists and recoveries omit the
/// removed ones. Outcome: the number of removed messages; fewer than ``limit`` when none remain, and 0 while a
/// legal hold keeps all.
package struct MessageExpiry: StoreWrite {
  package var channel: ExpiringChannel
  /// Maximum number of messages removed at a time, which takes a few milliseconds.
  package var limit: Int

  package init(of channel: ExpiringChannel, limit: Int = 300) {
    self.channel = channel
    self.limit = limit
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Int> { .init { try $0.expireMessages(self) } }
}

extension StoreTransaction {
  func expiringChannels(_ query: ExpiryQuery) throws -> ExpiryQuery.Page {
    let (index, condition): (StoreStatement, StoreStatement) =
      switch query.scope {
      case .all: ("", "")
      case .withOwnTime:
        ("\(.index("channels_with_survival"))", "AND survival_seconds IS NOT NULL")
      }
    var last: Int64?
    var count = 0
    let channels = try connection.all(
      """
      SELECT channel_id, custom_type, survival_seconds, is_held, message_count, (
        SELECT min(created_at) FROM messages \(.index("messages_by_time"))
        WHERE channel_id = channels.channel_id)
      FROM channels \(index) WHERE channel_id > ? \(condition) ORDER BY channel_id LIMIT ?
      """, [query.position, query.limit]
    ) { row -> ExpiringChannel? in
      last = row[0] as Int64
      count += 1
      return query.expiringChannel(
        row[0], customType: row[1], ChannelRetention(survivalSeconds: row[2], isHeld: row[3]),
        messageCount: row[4], oldest: row[5])
    }
    return ExpiryQuery.Page(
      channels: channels.compactMap(\.self), next: count < query.limit ? nil : last)
  }
}

extension ExpiryQuery {
  /// The channel, if it has messages to remove.
  fileprivate func expiringChannel(
    _ id: Int64, customType: String, _ own: ChannelRetention, messageCount: Int, oldest: Int64?
  ) -> ExpiringChannel? {
    guard let oldest, !own.isHeld else { return nil }
    let lifetime = rules.lifetime(customType: customType, own)
    let horizon = lifetime.map { now - $0 } ?? .min
    let kept = rules.messageCount
    guard oldest < horizon || (kept > 0 && messageCount > kept) else { return nil }
    return ExpiringChannel(id, lifetime: lifetime, horizon: horizon, messageCount: kept)
  }
}

extension WriteTransaction {
  func expireMessages(_ expiry: MessageExpiry) throws -> Int {
    let channel = expiry.channel
    // A hold that is being set is waited for.
    let isHeld = try connection.first(
      "SELECT is_held FROM channels WHERE channel_id = ? \(.forRemoval)", [channel.id]
    ) { $0[0] as Bool }
    guard isHeld == false else { return 0 }
    let old = try removeOldest(expiry.limit, of: channel.id, before: channel.horizon)
    guard channel.messageCount > 0, old < expiry.limit else { return old }
    let left = try messageCount(channelID: channel.id)
    let excess = min(left - channel.messageCount, expiry.limit - old)
    return excess > 0 ? try old + removeOldest(excess, of: channel.id, before: .max) : old
  }

  /// Messages that another server is changing or removing are skipped until the next time.
  private func removeOldest(
    _ limit: Int, of channelID: Int64, before horizon: Int64
  ) throws -> Int {
    let ids = try connection.all(
      """
      SELECT message_id FROM messages \(.index("messages_by_time"))
      WHERE channel_id = ? AND created_at < ? ORDER BY created_at, message_id LIMIT ?
      \(.skippingLocked)
      """, [channelID, horizon, limit]
    ) { $0[0] as Int64 }
    guard !ids.isEmpty else { return 0 }
    try retainMaximumMessageID(among: "message_id \(.isAnyOf)", [StoreValue.integers(ids)])
    let lastOrdinal = try connection.first(
      "SELECT max(ordinal) FROM messages WHERE message_id \(.isAnyOf)", [StoreValue.integers(ids)]
    ) { $0[0] as Int64? }
    try connection.execute(
      "DELETE FROM messages WHERE message_id \(.isAnyOf)", [StoreValue.integers(ids)])
    if let ordinal = lastOrdinal ?? nil {
      try raiseFloor(to: ordinal, channelID: channelID)
      try recountOwnMessages(channelID: channelID)
    }
    try connection.execute(
      "DELETE FROM events WHERE channel_id = ? AND message_id \(.isAnyOf) AND kind = ?",
      [channelID, StoreValue.integers(ids), EventName.messageUpdated.rawValue])
    try connection.execute(
      "UPDATE channels SET message_count = message_count - ? WHERE channel_id = ?",
      [ids.count, channelID])
    connection.mayHaveRemains = true
    return ids.count
  }
}
