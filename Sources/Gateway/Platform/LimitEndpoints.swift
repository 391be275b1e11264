import Channels
import FloodControl
import ParleyProtocol
import Store
import Transport

/// The limits on sending and showing messages, below `/v3/parley/limits`.
struct LimitEndpoints: Sendable {
  /// The part of the deployment that a path applies to.
  private enum Part {
    /// A scope with many channels, whose limits are in the limit table.
    case shared(LimitScope)
    case channel
  }

  private let part: @Sendable (PlatformCall) throws(ServiceError) -> Part

  static let deployment = LimitEndpoints { _ in .shared(.deployment) }
  static let customType = LimitEndpoints { call throws(ServiceError) in
    .shared(.customType(try call.customType))
  }
  static let channel = LimitEndpoints { _ in .channel }

  private init(
    _ part: @escaping @Sendable (PlatformCall) throws(ServiceError) -> Part
  ) {
    self.part = part
  }

  /// `GET`: the limits in force.
  func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    switch try part(call) {
    case .shared(let scope):
      completion.limits(LimitsInForce { call.services.limits.limit($0, for: scope) })
    case .channel: try call.inChannel(completion) { completion.limits($0.limitsInForce) }
    }
  }

  /// `PUT`: sets the given limits.
  func set(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let part = try part(call)
    try change(part, Self.limits(in: call.body), call, completion)
  }

  /// `DELETE`: removes the limits, so that those of the wider scope apply.
  func remove(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try change(try part(call), nil, call, completion)
  }

  private static func limits(in body: Fields) throws(ServiceError) -> [LimitKind: GivenLimit] {
    var limits: [LimitKind: GivenLimit] = [:]
    for kind in LimitKind.allCases {
      guard let limit = try body.nested(kind.rawValue) else { continue }
      limits[kind] = try GivenLimit(limit, of: kind)
    }
    guard !limits.isEmpty else { throw .missing("flood") }
    return limits
  }

  /// - Parameter limits: The limits to set; `nil` removes both.
  private func change(
    _ part: Part, _ limits: [LimitKind: GivenLimit]?, _ call: PlatformCall,
    _ completion: Completion
  ) throws(ServiceError) {
    switch part {
    case .shared(let scope): Self.change(scope, limits, call.services, completion)
    case .channel:
      try call.inChannel(completion) { $0.changeOwnLimits(limits, completion) }
    }
  }

  /// Changes the limits of many channels.
  ///
  /// Channels in memory change at once.
  private static func change(
    _ scope: LimitScope, _ limits: [LimitKind: GivenLimit]?, _ services: GatewayServices,
    _ completion: Completion
  ) {
    let inForce = LimitsInForce { kind in services.limits.limit(kind, for: scope) }
    services.store.perform(LimitChange(limits, for: scope, inForce)) { result in
      switch result.serviceResult {
      case .failure(let error): completion.fail(error)
      case .success(let present):
        services.limits.replace(with: present.shared)
        services.shards.sendToAll(.renewLimits)
        services.didAnnounce()
        completion.limits(LimitsInForce { services.limits.limit($0, for: scope) })
      }
    }
  }
}

extension ChannelHost {
  fileprivate func changeOwnLimits(_ limits: [LimitKind: GivenLimit]?, _ completion: Completion) {
    perform(LimitChange(limits, for: .channel(url), limitsInForce)) { channel, result in
      if case .success(let present) = result { channel.setOwnLimits(present.own) }
      completion(result) { channel.limitsInForce.encode(into: &$1) }
    }
  }
}

/// A limit from a request, which may be partial.
private struct GivenLimit: Sendable {
  let messages: Int?
  let windowMilliseconds: Int64?

  init(_ limit: Fields, of kind: LimitKind) throws(ServiceError) {
    messages = try limit.integer("messages", in: 0...Int64(RateLimit.maximumCount)).map(Int.init)
    windowMilliseconds = try limit.integer("window_ms", in: 0...3_600_000)
    guard messages != nil || windowMilliseconds != nil else {
      throw .missing("\(kind.rawValue).messages")
    }
  }
}

extension LimitChange {
  /// The change that a request asks for.
  ///
  /// The part of a limit that is not given stays the same.
  ///
  /// - Parameters:
  ///   - limits: The limits to set; `nil` removes both.
  ///   - inForce: The limits that apply when the scope has none of its own.
  fileprivate init(
    _ limits: [LimitKind: GivenLimit]?, for scope: LimitScope, _ inForce: LimitsInForce
  ) {
    guard let limits else {
      self.init(.removeAll, for: scope)
      return
    }
    var parts: [LimitKind: LimitParts] = [:]
    for (kind, limit) in limits {
      parts[kind] = LimitParts(
        messages: limit.messages, windowMilliseconds: limit.windowMilliseconds,
        general: inForce.limit(kind))
    }
    self.init(.set(parts), for: scope)
  }
}

/// The two limits in force for a scope.
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

  func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("flood", flood)
      $0.member("throttle", throttle)
    }
  }
}

extension Completion {
  fileprivate func limits(_ limits: LimitsInForce) { self { limits.encode(into: &$0) } }
}

extension LimitTable {
  /// The limit for a scope that this table covers.
  ///
  /// A channel keeps its own limits itself.
  fileprivate func limit(_ kind: LimitKind, for scope: LimitScope) -> RateLimit {
    switch scope {
    case .customType(let type): limit(kind, customType: type)
    case .deployment, .channel: limit(kind)
    }
  }
}

extension ChannelHost {
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
