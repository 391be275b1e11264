import Testing

@testable import Basics

@Suite("Circuit breaker")
struct CircuitBreakerTests {
  /// Lets a request through that fails at once.
  private func fail(
    _ breaker: inout CircuitBreaker, at now: Int64, jitter: Double = 0
  ) -> CircuitBreaker.Change? {
    guard case .admitted(let ticket) = breaker.admit(at: now) else {
      Issue.record("refused at \(now)")
      return nil
    }
    return breaker.fail(ticket, at: now, jitter: jitter)
  }

  private func opened(at now: Int64 = 0) -> CircuitBreaker {
    var breaker = CircuitBreaker()
    for _ in 0..<5 { _ = fail(&breaker, at: now) }
    return breaker
  }

  @Test("it opens after five consecutive failures")
  func opens() {
    var breaker = CircuitBreaker()
    for count in 1...4 {
      #expect(fail(&breaker, at: 0) == nil)
      #expect(breaker.state == .closed(failures: count))
    }
    #expect(fail(&breaker, at: 0) == .opened(wait: 1_000))
    #expect(breaker.admit(at: 1) == .refused(wait: 999))
    #expect(breaker.refusal(at: 999) == .refused(wait: 1))
    #expect(breaker.refusal(at: 1_000) == nil)
  }

  @Test("a success resets the failure count")
  func counts() {
    var breaker = CircuitBreaker()
    for _ in 0..<4 { _ = fail(&breaker, at: 0) }
    #expect(breaker.succeed() == nil)
    for _ in 0..<4 { #expect(fail(&breaker, at: 0) == nil) }
    #expect(fail(&breaker, at: 0) == .opened(wait: 1_000))
  }

  @Test("after the open time one request is let through as a trial, and the others are refused")
  func probes() {
    var breaker = opened()
    guard case .admitted = breaker.admit(at: 1_000) else {
      Issue.record("no try")
      return
    }
    #expect(breaker.state == .halfOpen)
    #expect(breaker.admit(at: 1_000) == .refused(wait: nil))
    #expect(breaker.admit(at: 1_000_000) == .refused(wait: nil))
    #expect(breaker.succeed() == .closed)
    #expect(breaker.state == .closed(failures: 0))
  }

  @Test("failed trials double the open time, up to a minute; a success resets it to one second")
  func doubles() {
    var breaker = opened()
    var now: Int64 = 0
    var wait: Int64 = 1_000
    for expected in [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000] as [Int64] {
      now += wait
      #expect(fail(&breaker, at: now) == .reopened(wait: expected))
      wait = expected
    }
    #expect(breaker.admit(at: now + wait - 1) == .refused(wait: 1))
    _ = breaker.admit(at: now + wait)
    #expect(breaker.succeed() == .closed)
    for _ in 0..<4 { _ = fail(&breaker, at: now) }
    #expect(fail(&breaker, at: now) == .opened(wait: 1_000))
  }

  @Test(
    "jitter shortens the open time by up to a quarter",
    arguments: [(0.0, 1_000), (0.5, 875), (1.0, 750), (-3, 1_000), (9, 750), (.nan, 1_000)])
  func jitter(share: Double, expected: Int64) {
    var breaker = CircuitBreaker()
    for _ in 0..<4 { _ = fail(&breaker, at: 0) }
    #expect(fail(&breaker, at: 0, jitter: share) == .opened(wait: expected))
  }

  @Test("the outcome of a request from before it opened does not affect the trial")
  func oldTickets() {
    var breaker = CircuitBreaker()
    guard case .admitted(let old) = breaker.admit(at: 0) else { return }
    for _ in 0..<5 { _ = fail(&breaker, at: 0) }
    #expect(breaker.fail(old, at: 10, jitter: 0) == nil)
    #expect(breaker.state == .open(until: 1_000))
    _ = breaker.admit(at: 1_000)
    #expect(breaker.fail(old, at: 1_001, jitter: 0) == nil)
    breaker.withdraw(old, at: 1_001)
    #expect(breaker.state == .halfOpen)
  }

  @Test("a late success of a request from before it opened closes it")
  func lateAnswer() {
    var breaker = opened()
    #expect(breaker.succeed() == .closed)
  }

  @Test("a cancelled trial lets the next request try immediately")
  func withdrawn() {
    var breaker = opened()
    guard case .admitted(let ticket) = breaker.admit(at: 1_000) else { return }
    breaker.withdraw(ticket, at: 1_500)
    #expect(breaker.refusal(at: 1_500) == nil)
    #expect(fail(&breaker, at: 1_500) == .reopened(wait: 2_000))
  }

  @Test("limits that make no sense are harmless")
  func oddLimits() {
    var limits = CircuitBreaker.Limits()
    limits.failures = 0
    limits.firstWait = -1
    limits.longestWait = .min
    var breaker = CircuitBreaker(limits: limits)
    #expect(fail(&breaker, at: .max) == .opened(wait: 1))
    #expect(breaker.refusal(at: 0) == .refused(wait: .max))
  }
}
