import Cluster
import HeapModule
import TestSupport

/// Servers on a faulty bus, in a time of their own: the same seed gives the same run.
struct Simulation<Server: SimulatedServer> {
  private struct Arrival: Comparable {
    let time: Int64
    let order: Int
    let receiver: ServerID
    let bytes: [UInt8]

    static func < (left: Arrival, right: Arrival) -> Bool {
      (left.time, left.order) < (right.time, right.order)
    }

    static func == (left: Arrival, right: Arrival) -> Bool { left.order == right.order }
  }

  private(set) var now: Int64 = 0
  var random: SeededGenerator
  var faults = SimulatedFaults.none
  private(set) var servers: [ServerID: Server] = [:]
  /// Servers that get no turn and receive what has gathered when they go on.
  private(set) var stopped: Set<ServerID> = []
  private var arrivals = Heap<Arrival>()
  private var arrivalCount = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// The servers that run, in a stable order.
  private(set) var ids: [ServerID] = []

  /// Starts a server.
  mutating func start(_ server: Server) {
    servers[server.id] = server
    ids = servers.keys.sorted()
  }

  /// Ends a server as a crash does.
  mutating func kill(_ id: ServerID) {
    servers[id] = nil
    ids.removeAll { $0 == id }
    stopped.remove(id)
  }

  /// Stops a server, as `SIGSTOP` does.
  mutating func stop(_ id: ServerID) { stopped.insert(id) }

  mutating func goOn(_ id: ServerID) { stopped.remove(id) }

  /// Changes a server from outside.
  mutating func with<Value>(_ id: ServerID, _ body: (inout Server) -> Value) -> Value? {
    guard var server = servers.removeValue(forKey: id) else { return nil }
    let value = body(&server)
    servers[id] = server
    return value
  }

  /// Takes the turns that are due and passes to the next moment at which something happens.
  ///
  /// - Returns: `false` once the time has come to `end`.
  mutating func step(until end: Int64) -> Bool {
    guard now < end else { return false }
    var next = end
    for id in ids where !stopped.contains(id) {
      turn(id)
      if let deadline = servers[id]?.deadline { next = min(next, deadline) }
    }
    if let arrival = arrivals.min { next = min(next, arrival.time) }
    now = max(now + 1, next)
    deliver()
    return true
  }

  private mutating func turn(_ id: ServerID) {
    guard let messages = with(id, { [now] in $0.turn(at: now) }) else { return }
    for (receiver, bytes) in messages {
      if let receiver {
        post(bytes, from: id, to: receiver)
      } else {
        for other in ids { post(bytes, from: id, to: other) }
      }
    }
  }

  private mutating func post(_ bytes: [UInt8], from sender: ServerID, to receiver: ServerID) {
    guard !faults.mutes.contains(sender), !faults.deaf.contains(receiver) else { return }
    guard !isChance(faults.loss) else { return }
    for _ in 0..<(isChance(faults.doubling) ? 2 : 1) {
      let delay =
        faults.delay.count == 1
        ? faults.delay.lowerBound : Int64.random(in: faults.delay, using: &random)
      arrivalCount += 1
      arrivals.insert(
        Arrival(time: now + delay, order: arrivalCount, receiver: receiver, bytes: bytes))
    }
  }

  private mutating func deliver() {
    var late: [Arrival] = []
    while let arrival = arrivals.min, arrival.time <= now {
      arrivals.removeMin()
      if stopped.contains(arrival.receiver) {
        late.append(arrival)
      } else {
        _ = with(arrival.receiver) { [now] in $0.receive(arrival.bytes, at: now) }
      }
    }
    for arrival in late {
      arrivals.insert(
        Arrival(
          time: now + 20, order: arrival.order, receiver: arrival.receiver, bytes: arrival.bytes))
    }
  }

  private mutating func isChance(_ chance: Int) -> Bool {
    chance > 0 && Int.random(in: 0..<1_000, using: &random) < chance
  }
}
