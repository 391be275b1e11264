/// The limits that a channel has of its own.
package struct ChannelLimits: Sendable, Hashable {
  /// The channel's URL.
  package var url: String
  package var overrides: [LimitKind: LimitOverride]
}

/// A page of channels with limits of their own.
package struct ChannelLimitsPage: Sendable, Hashable {
  package var channels: [ChannelLimits]
  /// The token of the next page; empty at the end.
  package var next: String
}
