import Channels
import FloodControl
import ParleyProtocol

/// The limits of a channel: its own, or else the more general ones.
struct ChannelLimits {
  /// The channel's own limits.
  var own: [LimitKind: LimitOverride] = [:]
  private(set) var flood: RateLimit
  private(set) var throttle: RateLimit

  init(_ state: ChannelState, below general: LimitTable) {
    let customType = state.channel.customType
    own[.flood] = state.floodOverride
    own[.throttle] = state.throttleOverride
    flood = Self.limit(.flood, own, customType, general)
    throttle = Self.limit(.throttle, own, customType, general)
  }

  /// Looks up the current limits.
  mutating func renew(customType: String, below general: LimitTable) {
    flood = Self.limit(.flood, own, customType, general)
    throttle = Self.limit(.throttle, own, customType, general)
  }

  /// The origin of a limit.
  func source(_ kind: LimitKind, customType: String, below general: LimitTable) -> LimitSource {
    own[kind] == nil ? general.source(kind, customType: customType) : .channel
  }

  private static func limit(
    _ kind: LimitKind, _ own: [LimitKind: LimitOverride], _ customType: String,
    _ general: LimitTable
  ) -> RateLimit {
    own[kind].map(RateLimit.init) ?? general.limit(kind, customType: customType)
  }
}
