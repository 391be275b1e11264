import Channels
import FloodControl
import ParleyProtocol

/// The limits of a channel: its own, or else the more general ones.
struct ChannelLimits {
  /// The channel's own limits.
  var own: [LimitKind: LimitOverride] = [:]
  private(set) var flood: RateLimit
  private(set) var throttle: RateLimit
  /// A group has no throttle unless one is set for it or for its custom type.
  private let isGroup: Bool

  init(_ state: ChannelState, below general: LimitTable) {
    let customType = state.channel.customType
    own[.flood] = state.floodOverride
    own[.throttle] = state.throttleOverride
    isGroup = state.channel.group != nil
    flood = Self.limit(.flood, own, customType, general)
    throttle = Self.throttle(own, customType, general, isGroup: isGroup)
  }

  /// Looks up the current limits.
  mutating func renew(customType: String, below general: LimitTable) {
    flood = Self.limit(.flood, own, customType, general)
    throttle = Self.throttle(own, customType, general, isGroup: isGroup)
  }

  /// The origin of a limit.
  func source(_ kind: LimitKind, customType: String, below general: LimitTable) -> LimitSource {
    own[kind] == nil ? general.source(kind, customType: customType) : .channel
  }

  private static func throttle(
    _ own: [LimitKind: LimitOverride], _ customType: String, _ general: LimitTable, isGroup: Bool
  ) -> RateLimit {
    guard isGroup, own[.throttle] == nil,
      general.source(.throttle, customType: customType) != .customType
    else { return limit(.throttle, own, customType, general) }
    return .off
  }

  private static func limit(
    _ kind: LimitKind, _ own: [LimitKind: LimitOverride], _ customType: String,
    _ general: LimitTable
  ) -> RateLimit {
    own[kind].map(RateLimit.init) ?? general.limit(kind, customType: customType)
  }
}
