import Channels
import FloodControl
import ParleyProtocol

/// The limits of a channel: its own, else the more general ones.
struct ChannelLimits {
  /// Those of the channel's own.
  var own: [LimitKind: LimitOverride] = [:]
  private(set) var flood: RateLimit
  private(set) var throttle: RateLimit

  init(_ state: ChannelState, below general: LimitTable) {
    own[.flood] = state.floodOverride
    own[.throttle] = state.throttleOverride
    flood = general.floodLimit(of: state)
    throttle = flood
    renew(customType: state.channel.customType, below: general)
  }

  /// Looks the limits up that hold now.
  mutating func renew(customType: String, below general: LimitTable) {
    flood = limit(.flood, customType, general)
    throttle = limit(.throttle, customType, general)
  }

  /// The origin of a limit.
  func source(_ kind: LimitKind, customType: String, below general: LimitTable) -> LimitSource {
    own[kind] == nil ? general.source(kind, customType: customType) : .channel
  }

  private func limit(_ kind: LimitKind, _ customType: String, _ general: LimitTable) -> RateLimit {
    own[kind].map(RateLimit.init) ?? general.limit(kind, customType: customType)
  }
}
