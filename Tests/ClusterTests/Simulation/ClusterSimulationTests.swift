import Cluster
import TestSupport
import Testing

/// Schedules of whole servers: crashes, stops, cuts of the bus and of the registry.
@Suite("A simulated cluster")
struct ClusterSimulationTests {
  @Test("agrees on its ring after faults, and keeps the guarantees of links", arguments: 0..<4)
  func schedules(part: Int) {
    for number in 0..<40 * Schedules.factor {
      let seed = UInt64(number * 4 + part)
      var run = ClusterRun(seed: seed)
      run.go()
      #expect(run.failures == [], "seed \(seed)")
      guard run.failures.isEmpty else { return }
    }
  }

  /// A way in which a server is lost.
  enum Loss: Sendable {
    case ends, hangs

    /// The milliseconds after which the others have a ring without it.
    var bound: Int64 {
      switch self {
      case .ends: 1_020
      case .hangs: 3_020
      }
    }
  }

  @Test(
    "removes a server that exits or hangs in time, at any point between its heartbeats",
    arguments: [Loss.ends, .hangs])
  func losses(loss: Loss) {
    let (lost, others) = (ServerID(rawValue: 2), [1, 3].map(ServerID.init(rawValue:)))
    for seed in 0..<UInt64(100) {
      var simulation = Simulation<ClusterServer>(seed: seed)
      func pass(_ time: Int64) {
        let end = simulation.now + time
        while simulation.step(until: end) {}
      }
      let registry = SimulatedRegistry()
      let settings = ClusterMachine.Settings(limits: LinkLimits(frameBytes: 1_000))
      for id in others + [lost] {
        pass(Int64.random(in: 1...500, using: &simulation.random))
        let server = ClusterServer(id, registry: registry, settings: settings, at: simulation.now)
        simulation.start(server)
      }
      pass(4_000 + Int64.random(in: 0..<500, using: &simulation.random))
      let time = simulation.now
      switch loss {
      case .ends:
        simulation.kill(lost)
        registry.locks.remove(lost)
      case .hangs: simulation.stop(lost)
      }
      func isKnown() -> Bool {
        others.contains { simulation.servers[$0]?.machine.ring.member(lost) != nil }
      }
      // A step changes rings and then goes on to the time of the next.
      var noticedAt = time
      repeat { noticedAt = simulation.now } while simulation.step(until: time + 9_000) && isKnown()
      #expect(noticedAt - time <= loss.bound, "seed \(seed)")
      guard loss == .hangs else { continue }
      simulation.goOn(lost)
      pass(100)
      let hasLeft = simulation.with(lost) { $0.takeEvents().contains(.left(.declaredDead)) }
      #expect(hasLeft == true, "seed \(seed)")
    }
  }
}

/// The order of what a server sends in one turn.
@Suite("Messages of one turn")
struct SendingOrderTests {
  @Test("are sent in their order, whatever the order of the servers")
  func order() throws {
    let ids = (UInt64(1)...3).map(ServerID.init(rawValue:))
    var simulation = Simulation<ClusterServer>(seed: 1)
    let registry = SimulatedRegistry()
    let settings = ClusterMachine.Settings(limits: LinkLimits(frameBytes: 1_000))
    for id in ids {
      simulation.start(
        ClusterServer(id, registry: registry, settings: settings, at: simulation.now))
    }
    while simulation.step(until: 3_000) {}
    let now = simulation.now
    for order in [[ids[2], ids[1]], [ids[1], ids[2]]] {
      let receivers = simulation.with(ids[0]) { server in
        _ = server.turn(at: now)
        for id in order { server.send([1], to: id, at: now) }
        return server.turn(at: now).compactMap(\.receiver)
      }
      #expect(receivers == order)
    }
  }
}

/// Messages of threads that learn late that a link was reset.
@Suite("Senders that do not know of a reset")
struct LateSenderTests {
  @Test("have their messages dropped until they learn of it")
  func dropsOutdated() {
    let (one, other) = (ServerID(rawValue: 1), ServerID(rawValue: 2))
    var simulation = Simulation<ClusterServer>(seed: 1)
    func pass(_ time: Int64) {
      let end = simulation.now + time
      while simulation.step(until: end) {}
    }
    let registry = SimulatedRegistry()
    var limits = LinkLimits(frameBytes: 1_000)
    limits.keptBytes = 10_000
    let settings = ClusterMachine.Settings(limits: limits)
    for id in [one, other] {
      simulation.start(
        ClusterServer(id, registry: registry, settings: settings, at: simulation.now))
    }
    pass(3_000)
    func send(_ message: [UInt8], knowing resetCount: Int) {
      let now = simulation.now
      _ = simulation.with(one) { $0.send(message, to: other, knowing: resetCount, at: now) }
    }
    func received() -> [[UInt8]] {
      (simulation.with(other) { $0.takeEvents() } ?? []).compactMap { event in
        if case .delivered(let message, _) = event { message } else { nil }
      }
    }
    send([1], knowing: 0)
    pass(1_000)
    #expect(received() == [[1]])
    _ = simulation.with(one) { $0.takeEvents() }
    // More than a link keeps.
    for _ in 0..<20 { send([UInt8](repeating: 2, count: 900), knowing: 0) }
    send([3], knowing: 0)
    send([4], knowing: 1)
    pass(2_000)
    #expect(simulation.with(one) { $0.takeEvents() } == [.reset(other)])
    #expect(received() == [[4]])
  }
}

/// One schedule, and its checks.
private struct ClusterRun {
  private var simulation: Simulation<ClusterServer>
  private var ledger = LinkLedger()
  private let registry = SimulatedRegistry()
  private var nextID: UInt64 = 0
  private var settings: ClusterMachine.Settings
  private var ownFailures: [String] = []

  var failures: [String] { ledger.failures + ownFailures }

  init(seed: UInt64) {
    simulation = Simulation(seed: seed)
    var limits = LinkLimits(frameBytes: 1_000)
    limits.keptBytes = 50_000
    settings = ClusterMachine.Settings(limits: limits)
    for _ in 0..<Int.random(in: 1...4, using: &simulation.random) { start() }
  }

  mutating func go() {
    pass(3_000)
    checkAgreement("at the start")
    for _ in 0..<Int.random(in: 1...3, using: &simulation.random) {
      fault()
      pass(Int64.random(in: 100...9_000, using: &simulation.random))
      end()
      if simulation.random.oneIn(2) { pass(Int64.random(in: 0...500, using: &simulation.random)) }
    }
    end()
    // Death by silence takes the time-out, and what reset a link the time for which it keeps.
    for _ in 0..<11 { pass(1_000) }
    // A supervisor starts again what has left.
    if simulation.ids.isEmpty { start() }
    pass(3_000)
    checkAgreement("at the end")
    traffic()
    pass(1_000, isBusy: false)
    ledger.checkRest(among: Set(simulation.ids))
  }

  private mutating func start() {
    nextID += 1
    var mixer = SeededGenerator(seed: nextID)
    simulation.start(
      ClusterServer(
        ServerID(rawValue: mixer.next()), registry: registry, settings: settings,
        at: simulation.now))
  }

  private mutating func fault() {
    let now = simulation.now
    guard let victim = simulation.ids.randomElement(using: &simulation.random) else {
      return start()
    }
    switch Int.random(in: 0..<13, using: &simulation.random) {
    case 0:
      simulation.kill(victim)
      registry.locks.remove(victim)
      if simulation.random.oneIn(2) { start() }
    case 1: simulation.stop(victim)
    case 2: simulation.faults.mutes = [victim]
    case 3: simulation.faults.deaf = [victim]
    case 4: _ = simulation.with(victim) { $0.reachesRegistry = false }
    case 5: registry.isDown = true
    case 6: simulation.faults.loss = 300
    case 7: simulation.faults.loss = 1_000
    case 8: registry.restart()
    case 9: start()
    case 10: simulation.faults.doubling = 200
    // Each message takes a time of its own, so they overtake one another.
    case 11: simulation.faults.delay = 1...80
    default: _ = simulation.with(victim) { $0.drain(at: now) }
    }
  }

  /// Ends the faults.
  private mutating func end() {
    simulation.faults = .none
    registry.isDown = false
    for id in simulation.ids {
      simulation.goOn(id)
      _ = simulation.with(id) { $0.reachesRegistry = true }
    }
  }

  private mutating func pass(_ time: Int64, isBusy: Bool = true) {
    let end = simulation.now + time
    var nextTraffic = simulation.now
    while simulation.step(until: end) {
      for id in simulation.ids { note(id) }
      if isBusy, simulation.now >= nextTraffic {
        traffic()
        nextTraffic = simulation.now + 200
      }
    }
  }

  private mutating func traffic() {
    let now = simulation.now
    for id in simulation.ids where !simulation.stopped.contains(id) {
      for member in simulation.servers[id]?.machine.ring.members ?? [] where member.id != id {
        let message = ledger.message(from: id, to: member.id, size: 20)
        _ = simulation.with(id) { $0.send(message, to: member.id, at: now) }
      }
    }
  }

  private mutating func note(_ id: ServerID) {
    let events = simulation.with(id) { $0.takeEvents() }
    for event in events ?? [] {
      switch event {
      case .delivered(let message, let peer): ledger.deliver(message, from: peer, to: id)
      case .reset(let peer): ledger.reset(at: id, with: peer)
      case .ring: checkSlots()
      case .left:
        simulation.kill(id)
        registry.locks.remove(id)
      }
    }
  }

  /// No two servers that run have one number.
  private mutating func checkSlots() {
    let slots = simulation.servers.values.map(\.local.slot)
    if Set(slots).count < slots.count { ownFailures.append("two servers have one number") }
  }

  /// All servers have the ring of those that run.
  private mutating func checkAgreement(_ moment: String) {
    let running = Set(simulation.ids)
    for (id, server) in simulation.servers {
      let members = Set(server.machine.ring.members.map(\.id))
      if members != running {
        ownFailures.append("\(moment): \(id) has \(members), \(running) run")
      }
      if server.machine.ring != simulation.servers[simulation.ids[0]]?.machine.ring {
        ownFailures.append("\(moment): rings differ")
      }
    }
  }
}
