import FloodControl
import ParleyProtocol
import Store

extension HomeChannel {
  /// Goes on with the limits that hold now.
  func renewLimits() {
    floodLimit = limit(.flood)
    throttleLimit = limit(.throttle)
  }

  /// Takes over limits of the channel's own; `nil` leaves it to the more general ones.
  func setOwnLimits(_ limits: [LimitKind: LimitOverride]) {
    ownLimits = limits
    renewLimits()
  }

  /// Where a limit that holds comes from.
  func limitSource(_ kind: LimitKind) -> LimitSource {
    guard ownLimits[kind] == nil else { return .channel }
    return services.limits.source(kind, customType: record.customType)
  }

  private func limit(_ kind: LimitKind) -> RateLimit {
    ownLimits[kind].map(RateLimit.init)
      ?? services.limits.limit(kind, customType: record.customType)
  }
}
