package import ParleyProtocol

/// A channel with all that the server keeps of it beside its messages.
package struct ChannelState: Sendable, Hashable {
  /// The store's own number of the channel; never used again after its deletion.
  package var id: Int64
  /// With the operators' profiles, in the order in which they became operators.
  package var channel: Channel
  /// Names the life of the channel's event count.
  package var epoch: String
  /// `seq` of the last durable event; 0 when there was none.
  package var lastSeq: Int64
  /// The largest `created_at` of its messages ever, deleted ones included; 0 when there was none.
  package var lastCreatedAt: Int64
  /// By user; may hold some that have ended.
  package var bans: [String: Restriction]
  /// By user; may hold some that have ended.
  package var mutes: [String: Restriction]
  /// The channel's own limit of spam-flood protection.
  package var floodOverride: LimitOverride?
  /// The channel's own limit of smart throttling.
  package var throttleOverride: LimitOverride?
}
