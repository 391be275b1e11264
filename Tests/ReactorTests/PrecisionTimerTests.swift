import Glibc
import TestSupport
import Testing

@testable import Reactor

@Suite("Precision timer", .onOwnThreads)
struct PrecisionTimerTests {
  private func isReadable(_ timer: PrecisionTimer) -> Bool {
    var target = pollfd(fd: timer.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&target, 1, 0) == 1
  }

  private func awaitReadable(_ timer: PrecisionTimer) throws {
    try Deadline.standard.wait(for: "the timer", on: timer.descriptor)
  }

  @Test("it becomes readable no earlier than its deadline, until it is acknowledged")
  func moment() throws {
    let timer = try PrecisionTimer()
    #expect(!isReadable(timer))
    let moment = SystemClock.monotonicNanoseconds + 3_000_000
    timer.set(to: moment)
    try awaitReadable(timer)
    #expect(SystemClock.monotonicNanoseconds >= moment)
    timer.acknowledge()
    #expect(!isReadable(timer))
  }

  @Test("a deadline in the past is reached at once")
  func passed() throws {
    let timer = try PrecisionTimer()
    for moment in [0, -5, 1] as [Int64] {
      timer.set(to: moment)
      try awaitReadable(timer)
      timer.acknowledge()
    }
  }
}
