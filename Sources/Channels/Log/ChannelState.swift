package import ParleyProtocol

/// A channel with all that the server keeps of it beside its messages.
package struct ChannelState: Sendable, Hashable {
  /// The log's own number of the channel; never used again after its deletion.
  package var id: Int64
  /// With the operators' profiles, in the order in which they became operators.
  package var channel: Channel
  /// Names the life of the channel's event count.
  package var epoch: String
  /// Raised each time that the channel is taken over: see ``MessageLog``.
  package var term: Int64
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

  package init(
    id: Int64, channel: Channel, epoch: String, term: Int64 = 0, lastSeq: Int64 = 0,
    lastCreatedAt: Int64 = 0, bans: [String: Restriction] = [:],
    mutes: [String: Restriction] = [:], floodOverride: LimitOverride? = nil,
    throttleOverride: LimitOverride? = nil
  ) {
    self.id = id
    self.channel = channel
    self.epoch = epoch
    self.term = term
    self.lastSeq = lastSeq
    self.lastCreatedAt = lastCreatedAt
    self.bans = bans
    self.mutes = mutes
    self.floodOverride = floodOverride
    self.throttleOverride = throttleOverride
  }

  /// The channel as writes name it.
  package var place: LogChannel { LogChannel(id: id, url: channel.url, term: term) }
}
