internal import ClientTransport

/// The choices of transports of a lane's clients, which have the same network; confined to the lane.
final class TransportMemory: LaneMember {
  /// A server, and the proxy on the way to it.
  private struct Route: Hashable {
    let server: ServerURL
    let proxy: ProxyURL?

    init(_ plan: ConnectionPlan) {
      server = plan.server
      proxy = plan.proxy
    }
  }

  /// The maximum number of routes; then all are forgotten.
  private static let limit = 256

  private var choices: [Route: TransportChoice] = [:]

  /// Returns the memory of a lane.
  static func of(_ context: any LaneContext) -> TransportMemory {
    let key = ObjectIdentifier(TransportMemory.self)
    if let memory = context.members[key] as? TransportMemory { return memory }
    let made = TransportMemory()
    context.members[key] = made
    return made
  }

  func abandon() {}

  /// The choice for a plan's server.
  subscript(_ plan: ConnectionPlan) -> TransportChoice {
    get { choices[Route(plan)] ?? TransportChoice() }
    set {
      if choices.count >= Self.limit, choices[Route(plan)] == nil { choices = [:] }
      choices[Route(plan)] = newValue == TransportChoice() ? nil : newValue
    }
  }
}
