import Cluster
import TestSupport
import Testing

/// Thousands of schedules of links over a bus that loses, doubles, delays and cuts.
@Suite("Simulated links")
struct LinkSimulationTests {
  @Test("deliver once and in order, or report a reset at both ends", arguments: 0..<8)
  func schedules(part: Int) {
    for number in 0..<250 * Schedules.factor {
      let seed = UInt64(number * 8 + part)
      var run = LinkRun(seed: seed)
      run.go()
      #expect(run.ledger.failures == [], "seed \(seed)")
      guard run.ledger.failures.isEmpty else { return }
    }
  }
}

/// One schedule: servers, faults and traffic by chance, then quiet.
private struct LinkRun {
  private var simulation: Simulation<LinkedServer>
  private(set) var ledger = LinkLedger()
  private let ids: [ServerID]
  private let limits: LinkLimits

  init(seed: UInt64) {
    simulation = Simulation(seed: seed)
    ids = (0..<Int.random(in: 2...3, using: &simulation.random)).map {
      ServerID(rawValue: UInt64($0) + 1)
    }
    var limits = LinkLimits(
      frameBytes: [200, 400, 6_000].randomElement(using: &simulation.random) ?? 400)
    limits.keptBytes = 10_000
    limits.keptTime = 2_000
    self.limits = limits
    for id in ids {
      simulation.start(
        LinkedServer(
          id, peers: ids, limits: limits,
          authentication: seed % 8 == 0 ? TestAuthentication(secret: seed) : nil, at: 0))
    }
  }

  mutating func go() {
    for _ in 0..<Int.random(in: 1...4, using: &simulation.random) {
      change()
      for _ in 0..<Int.random(in: 2...8, using: &simulation.random) {
        traffic()
        pass(Int64.random(in: 1...200, using: &simulation.random))
      }
    }
    simulation.faults = .none
    for id in ids { simulation.goOn(id) }
    // The faults' last reset ends within the time for which frames are kept.
    for _ in 0..<3 { pass(1_500) }
    traffic()
    pass(1_500)
    ledger.checkRest(among: Set(ids))
  }

  private mutating func change() {
    func chance(_ most: Int) -> Int {
      simulation.random.oneIn(2) ? 0 : Int.random(in: 0...most, using: &simulation.random)
    }
    simulation.faults.loss = chance(400)
    simulation.faults.doubling = chance(200)
    simulation.faults.delay = 1...Int64(1 + chance(80))
    simulation.faults.mutes = []
    simulation.faults.deaf = []
    for id in ids {
      if simulation.random.oneIn(6) { simulation.faults.mutes.insert(id) }
      if simulation.random.oneIn(6) { simulation.faults.deaf.insert(id) }
      if simulation.random.oneIn(8) { simulation.stop(id) } else { simulation.goOn(id) }
    }
  }

  private mutating func traffic() {
    let now = simulation.now
    for id in ids where !simulation.stopped.contains(id) {
      for peer in ids where peer != id {
        for _ in 0..<Int.random(in: 0...3, using: &simulation.random) {
          let size =
            simulation.random.oneIn(20)
            ? Int.random(in: 0...2_000, using: &simulation.random)
            : Int.random(in: 0...60, using: &simulation.random)
          let message = ledger.message(from: id, to: peer, size: size)
          _ = simulation.with(id) { $0.send(message, to: peer, at: now) }
          note(id)
        }
      }
    }
  }

  private mutating func pass(_ time: Int64) {
    let end = simulation.now + time
    while simulation.step(until: end) {
      for id in ids { note(id) }
    }
  }

  private mutating func note(_ id: ServerID) {
    let events = simulation.with(id) { $0.takeEvents() }
    for (peer, event) in events ?? [] {
      switch event {
      case .deliver(let message): ledger.deliver(message, from: peer, to: id)
      case .reset: ledger.reset(at: id, with: peer)
      case .transmit: break
      }
    }
  }
}
