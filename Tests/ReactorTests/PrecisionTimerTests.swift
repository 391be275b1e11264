import Glibc
import Testing

@testable import Reactor

@Suite("Precision timer")
struct PrecisionTimerTests {
  private func isReadable(_ timer: PrecisionTimer, wait milliseconds: Int32) -> Bool {
    var target = pollfd(fd: timer.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&target, 1, milliseconds) == 1
  }

  @Test("it becomes readable no earlier than its moment, until it is acknowledged")
  func moment() throws {
    let timer = try PrecisionTimer()
    #expect(!isReadable(timer, wait: 0))
    let moment = SystemClock.monotonicNanoseconds + 3_000_000
    timer.set(to: moment)
    #expect(isReadable(timer, wait: 30_000))
    #expect(SystemClock.monotonicNanoseconds >= moment)
    timer.acknowledge()
    #expect(!isReadable(timer, wait: 0))
  }

  @Test("a moment that has passed is there at once")
  func passed() throws {
    let timer = try PrecisionTimer()
    for moment in [0, -5, 1] as [Int64] {
      timer.set(to: moment)
      #expect(isReadable(timer, wait: 30_000))
      timer.acknowledge()
    }
  }
}
