import Synchronization
import Testing

@testable import Daemon

@Suite("Watchdog")
struct WatchdogTests {
  private final class Signs: Sendable {
    let count = Atomic(0)

    func give() { count.add(1, ordering: .relaxed) }
  }

  @Test("a keep-alive notice is sent only after the event loops have responded")
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

  @Test("a blocked loop sends no keep-alive, however often the timer fires, and is asked once")
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
    "WATCHDOG_USEC applies to the process in WATCHDOG_PID, or to any process without it",
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
