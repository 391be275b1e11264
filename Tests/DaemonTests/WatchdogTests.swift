import Synchronization
import Testing

@testable import Daemon

@Suite("Watchdog")
struct WatchdogTests {
  private final class Signs: Sendable {
    let count = Atomic(0)

    func give() { count.add(1, ordering: .relaxed) }
  }

  @Test("a sign of life is given when the event loops have answered, not before")
  func answered() {
    let (daemon, signs) = (FakeDaemon(), Signs())
    let watchdog = Watchdog(daemon) { signs.give() }
    watchdog.tick()
    #expect(signs.count.load(ordering: .relaxed) == 0)
    daemon.answer()
    #expect(signs.count.load(ordering: .relaxed) == 1)
    watchdog.tick()
    daemon.answer()
    #expect(signs.count.load(ordering: .relaxed) == 2)
  }

  @Test("a loop that is stuck gives none, however often it is asked, and is asked once")
  func stuck() {
    let (daemon, signs) = (FakeDaemon(), Signs())
    let watchdog = Watchdog(daemon) { signs.give() }
    for _ in 0..<5 { watchdog.tick() }
    #expect(daemon.unanswered == 1)
    #expect(signs.count.load(ordering: .relaxed) == 0)
  }
}

@Suite("Period of the watchdog")
struct WatchdogPeriodTests {
  @Test(
    "WATCHDOG_USEC holds for the process that WATCHDOG_PID names, or for any without one",
    arguments: [
      ([:], nil), (["WATCHDOG_USEC": "3000000"], 3_000_000),
      (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"], 3_000_000),
      (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"], nil),
      (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "x"], nil),
    ] as [([String: String], UInt64?)])
  func periods(environment: [String: String], expected: UInt64?) {
    #expect(WatchdogPeriod.microseconds(environment: environment, processID: 7) == expected)
  }
}
