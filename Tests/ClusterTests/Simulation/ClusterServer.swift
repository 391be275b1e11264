import Cluster

/// A whole server of the cluster, but for what it is for: its machine, and its way to the registry.
///
/// Judges and stages can stand on it: they take ``events`` and call ``send(_:to:at:)``.
struct ClusterServer: SimulatedServer {
  enum Event: Equatable {
    case delivered([UInt8], from: ServerID)
    case reset(ServerID)
    case ring(ServerRing)
    case left(LeaveReason)
  }

  let local: ClusterMember
  private(set) var machine: ClusterMachine
  /// Events since they were last taken.
  private var events: [Event] = []
  private let registry: SimulatedRegistry
  var reachesRegistry = true
  /// The milliseconds that the registry takes.
  var registryDelay: Int64 = 2
  private var answers: [(time: Int64, input: MembershipInput)] = []
  private(set) var hasLeft = false

  init(
    _ id: ServerID, registry: SimulatedRegistry, settings: ClusterMachine.Settings, at now: Int64
  ) {
    self.registry = registry
    local = registry.register(id, at: now)
    machine = ClusterMachine(local, settings, at: now)
    machine.handle(.mayServe, at: now)
  }

  var id: ServerID { local.id }

  var deadline: Int64? {
    let next = min(machine.deadline, answers.map(\.time).min() ?? .max)
    return hasLeft || next == .max ? nil : next
  }

  mutating func send(
    _ message: [UInt8], to server: ServerID, knowing resetCount: Int? = nil, at now: Int64
  ) {
    machine.send(message, to: server, knowing: resetCount, at: now)
  }

  mutating func drain(at now: Int64) { machine.handle(.drain, at: now) }

  mutating func receive(_ bytes: [UInt8], at now: Int64) {
    if !hasLeft { machine.receive(bytes, at: now) }
  }

  mutating func turn(at now: Int64) -> [(receiver: ServerID?, bytes: [UInt8])] {
    guard !hasLeft else { return [] }
    for answer in answers where answer.time <= now { machine.handle(answer.input, at: now) }
    answers.removeAll { $0.time <= now }
    machine.endTurn(at: now)
    return carryOut(at: now)
  }

  mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  private mutating func carryOut(at now: Int64) -> [(receiver: ServerID?, bytes: [UInt8])] {
    var messages: [(receiver: ServerID?, bytes: [UInt8])] = []
    for action in machine.takeActions() {
      switch action {
      case .transmit(let bytes, let receiver): messages.append((receiver, bytes))
      case .deliver(let message, let peer): events.append(.delivered(message, from: peer))
      case .reset(let peer, _, _): events.append(.reset(peer))
      case .ring(let ring): events.append(.ring(ring))
      case .beatRegistry(let state, let isOnBus):
        let input: MembershipInput =
          canAsk
          ? .registryAnswered(registry.beat(id, state, isOnBus: isOnBus, at: now))
          : .registryFailed
        answers.append((now + registryDelay, input))
      case .declareDead(let peer, let evidence):
        if canAsk, registry.declareDead(peer, evidence, at: now) {
          answers.append((now + registryDelay, .registryChanged))
        }
      case .silence: break
      case .leave(let reason):
        hasLeft = true
        events.append(.left(reason))
      }
    }
    return messages
  }

  private var canAsk: Bool { reachesRegistry && !registry.isDown }
}
