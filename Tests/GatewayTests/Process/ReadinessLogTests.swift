import Testing

@testable import Gateway

@Suite("Log of a server's readiness")
struct ReadinessLogTests {
  @Test("logs ready, not ready with the reason, and ready again")
  func changes() {
    var log = ReadinessLog()
    #expect(log.take("not yet a home", at: 0) == nil)
    #expect(log.take(nil, at: 100) == .ready)
    #expect(log.take(nil, at: 200) == nil)
    #expect(log.take("the bus is down", at: 1_000) == nil)
    #expect(log.take("the bus is down", at: 2_000) == .notReady("the bus is down"))
    #expect(log.take("the bus is down", at: 100_000) == nil)
    #expect(log.take(nil, at: 101_000) == .ready)
  }

  @Test("omits states that last less than a second")
  func falters() {
    var log = ReadinessLog()
    #expect(log.take(nil, at: 0) == .ready)
    #expect(log.take("a moment", at: 100) == nil)
    #expect(log.take(nil, at: 1_000) == nil)
    #expect(log.take("a moment", at: 1_500) == nil)
    #expect(log.take("a moment", at: 2_400) == nil)
  }

  @Test("logs a changed reason a minute later, and the first reason of a long startup")
  func reasons() {
    var log = ReadinessLog()
    #expect(log.take("one", at: 0) == nil)
    #expect(log.take("one", at: 1_000) == .notReady("one"))
    #expect(log.take("two", at: 2_000) == nil)
    #expect(log.take("two", at: 61_000) == .notReady("two"))
  }
}
