import TestSupport
import Testing

@testable import Basics

@Suite("Circuit breaker: random histories")
struct CircuitBreakerPropertyTests {
  @Test("its guarantees hold in any history", arguments: 0..<50)
  func history(seed: UInt64) {
    var run = Run(seed: seed)
    for _ in 0..<500 { run.step() }
  }

  /// A breaker under random use, with what must be true of it.
  private struct Run {
    let seed: UInt64
    var generator: SeededGenerator
    var breaker = CircuitBreaker()
    var now: Int64 = 0
    var tickets: [CircuitBreaker.Ticket] = []
    /// Requests let through since it last opened.
    var tries = 0

    init(seed: UInt64) {
      self.seed = seed
      generator = SeededGenerator(seed: seed)
    }

    mutating func step() {
      now += Int64.random(in: 0...800, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0..<3: admit()
      case 3..<6: fail()
      case 6 where generator.oneIn(3): succeed()
      case 7 where generator.oneIn(3): withdraw()
      default: break
      }
      #expect((breaker.refusal(at: now) == nil) == canAdmit, "seed \(seed)")
    }

    /// A copy tells without changing the history.
    private var canAdmit: Bool {
      var copy = breaker
      if case .admitted = copy.admit(at: now) { return true }
      return false
    }

    private mutating func admit() {
      let before = breaker.state
      switch (breaker.admit(at: now), before) {
      case (.admitted(let ticket), .closed): tickets.append(ticket)
      case (.admitted(let ticket), .open(let until)):
        #expect(until <= now && breaker.state == .halfOpen, "seed \(seed)")
        tries += 1
        #expect(tries == 1, "only one request tries, seed \(seed)")
        tickets.append(ticket)
      case (.admitted, .halfOpen): Issue.record("a second try, seed \(seed)")
      case (.refused(let wait), .open(let until)):
        #expect(wait == until - now, "seed \(seed)")
      case (.refused(nil), .halfOpen): break
      case (.refused, _): Issue.record("refused without a reason, seed \(seed)")
      }
    }

    private mutating func fail() {
      guard let ticket = takeTicket() else { return }
      let before = breaker.state
      let jitter = Double.random(in: 0...1, using: &generator)
      switch breaker.fail(ticket, at: now, jitter: jitter) {
      case .opened(let wait):
        guard case .closed(let count) = before else {
          Issue.record("opened twice, seed \(seed)")
          return
        }
        #expect(count == 4, "seed \(seed)")
        #expect((750...1_000).contains(wait), "seed \(seed)")
        tries = 0
      case .reopened(let wait):
        #expect(before == .halfOpen, "seed \(seed)")
        #expect((1_500...60_000).contains(wait), "seed \(seed)")
        tries = 0
      case .closed: Issue.record("a failure closed it, seed \(seed)")
      case nil: break
      }
    }

    private mutating func succeed() {
      guard takeTicket() != nil else { return }
      _ = breaker.succeed()
      #expect(breaker.state == .closed(failures: 0), "seed \(seed)")
      tries = 0
    }

    private mutating func withdraw() {
      guard let ticket = takeTicket() else { return }
      let before = breaker.state
      breaker.withdraw(ticket, at: now)
      if breaker.state != before { tries = 0 }
      #expect(breaker.state == before || breaker.refusal(at: now) == nil, "seed \(seed)")
    }

    private mutating func takeTicket() -> CircuitBreaker.Ticket? {
      guard !tickets.isEmpty else { return nil }
      return tickets.remove(at: Int.random(in: 0..<tickets.count, using: &generator))
    }
  }
}
