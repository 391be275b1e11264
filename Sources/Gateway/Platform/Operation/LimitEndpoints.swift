import FloodControl
import ParleyProtocol
import Store

/// What users may send and are shown, below `/v3/parley/limits`.
extension PlatformCall {
  /// `GET`: what holds for the deployment.
  func viewLimits() throws(ServiceError) -> Work {
    let limits = node.services.limits
    return { reply in reply(.success(LimitsInForce { limits.limit($0) }.encoded())) }
  }

  /// `GET …/custom_types/{type}`: what holds for channels of a type.
  func viewCustomTypeLimits() throws(ServiceError) -> Work {
    let limits = node.services.limits
    let type = try customType
    return { reply in
      reply(.success(LimitsInForce { limits.limit($0, customType: type) }.encoded()))
    }
  }

  /// `GET …/channels/{url}`: what holds in a channel.
  func viewChannelLimits() throws(ServiceError) -> Work {
    try inChannel { channel, reply in reply(.success(channel.limitsInForce.encoded())) }
  }

  /// `PUT`: sets what is given; `DELETE` leaves it to the settings again.
  func setLimits() throws(ServiceError) -> Work { try change(.deployment, .set(givenLimits())) }
  func removeLimits() throws(ServiceError) -> Work { change(.deployment, .remove) }

  /// `PUT …/custom_types/{type}`: the same for channels of a type, as `DELETE` is.
  func setCustomTypeLimits() throws(ServiceError) -> Work {
    try change(.customType(customType), .set(givenLimits()))
  }

  func removeCustomTypeLimits() throws(ServiceError) -> Work {
    try change(.customType(customType), .remove)
  }

  /// `PUT …/channels/{url}`: the same for one channel, as `DELETE` is.
  func setChannelLimits() throws(ServiceError) -> Work {
    try changeOwn(.set(givenLimits()))
  }

  func removeChannelLimits() throws(ServiceError) -> Work { try changeOwn(.remove) }

  private var customType: String {
    get throws(ServiceError) {
      let type = arguments[0]
      guard type.unicodeScalars.count <= Limits.customTypeLength else {
        throw .tooLong("custom_type", limit: Limits.customTypeLength)
      }
      return type
    }
  }

  private func givenLimits() throws(ServiceError) -> [LimitKind: GivenLimit] {
    let body = try request.parameters
    var limits: [LimitKind: GivenLimit] = [:]
    for kind in LimitKind.allCases {
      guard let limit = try body.nested(kind.rawValue) else { continue }
      limits[kind] = try GivenLimit(limit, of: kind)
    }
    guard !limits.isEmpty else { throw .missing("flood") }
    return limits
  }

  /// Changes what holds for many channels, at once for those in memory.
  private func change(_ scope: LimitScope, _ change: LimitChange) -> Work {
    let services = node.services
    let inForce = LimitsInForce { kind in services.limits.limit(kind, for: scope) }
    return { reply in
      services.store.write {
        try $0.make(change, for: scope, inForce: inForce)
        return try $0.limitOverrides()
      } completion: { result in
        guard case .success(let overrides) = result.serviceResult else {
          return reply(result.serviceResult.map { _ in [] })
        }
        services.limits.replace(with: overrides)
        services.cluster.postToAll { $0.channels.renewLimits() }
        reply(.success(LimitsInForce { services.limits.limit($0, for: scope) }.encoded()))
      }
    }
  }

  private func changeOwn(_ change: LimitChange) throws(ServiceError) -> Work {
    try inChannel { channel, reply in
      let scope = LimitScope.channel(channel.url)
      let inForce = channel.limitsInForce
      channel.write { transaction in
        try transaction.make(change, for: scope, inForce: inForce)
        var own: [LimitKind: LimitOverride] = [:]
        for kind in LimitKind.allCases {
          own[kind] = try transaction.limitOverride(kind, for: scope)
        }
        return own
      } then: { channel, result in
        if case .success(let own) = result { channel.setOwnLimits(own) }
        reply(result.map { _ in channel.limitsInForce.encoded() })
      }
    }
  }
}

private enum LimitChange: Sendable {
  case set([LimitKind: GivenLimit])
  case remove
}

/// A limit of which a request gives all or a part.
private struct GivenLimit: Sendable {
  let messages: Int?
  let windowMilliseconds: Int64?

  init(_ limit: Parameters, of kind: LimitKind) throws(ServiceError) {
    messages = try limit.integer("messages", in: 0...Int64(RateLimit.maximumCount)).map(Int.init)
    windowMilliseconds = try limit.integer("window_ms", in: 0...3_600_000)
    guard messages != nil || windowMilliseconds != nil else {
      throw .missing("\(kind.rawValue).messages")
    }
  }

  /// The whole limit; the part that is not given stays as it is.
  func completed(by present: LimitOverride) -> LimitOverride {
    LimitOverride(
      messages: messages ?? present.messages,
      windowMilliseconds: windowMilliseconds ?? present.windowMilliseconds)
  }
}

extension WriteTransaction {
  /// - Parameter inForce: The limits that hold where the scope has none of its own.
  fileprivate func make(
    _ change: LimitChange, for scope: LimitScope, inForce: LimitsInForce
  ) throws {
    switch change {
    case .set(let limits):
      for (kind, limit) in limits {
        let present = try limitOverride(kind, for: scope) ?? inForce.limit(kind)
        try setLimitOverride(limit.completed(by: present), kind, for: scope)
      }
    case .remove: try removeLimitOverrides(for: scope)
    }
  }
}

/// The two limits as they hold somewhere.
private struct LimitsInForce: Sendable {
  let flood: RateLimit
  let throttle: RateLimit

  init(_ limit: (LimitKind) -> RateLimit) {
    flood = limit(.flood)
    throttle = limit(.throttle)
  }

  func limit(_ kind: LimitKind) -> LimitOverride {
    let limit =
      switch kind {
      case .flood: flood
      case .throttle: throttle
      }
    return LimitOverride(messages: limit.count, windowMilliseconds: limit.windowMilliseconds)
  }

  func encoded() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("flood", flood)
        $0.member("throttle", throttle)
      }
    }
  }
}

extension LimitTable {
  /// The limit for a scope that this table covers; a channel's own limits are its own affair.
  fileprivate func limit(_ kind: LimitKind, for scope: LimitScope) -> RateLimit {
    switch scope {
    case .customType(let type): limit(kind, customType: type)
    case .deployment, .channel: limit(kind)
    }
  }
}

extension HomeChannel {
  fileprivate var limitsInForce: LimitsInForce {
    LimitsInForce { $0 == .flood ? floodLimit : throttleLimit }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, _ limit: RateLimit) {
    member(
      name,
      object: {
        $0.member("messages", limit.count)
        $0.member("window_ms", limit.windowMilliseconds)
      })
  }
}
