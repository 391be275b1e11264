import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("The clock of changes")
struct ChangeClockTests {
  /// A clock that tests set, in microseconds.
  private final class Time: Sendable {
    private let value: Mutex<Int64>

    init(_ value: Int64) { self.value = Mutex(value) }

    var now: Int64 {
      get { value.withLock { $0 } }
      set { value.withLock { $0 = newValue } }
    }
  }

  private static let second: Int64 = 1_000_000

  private let time = Time(1_000 * second)

  private func clock(limit: Int64 = 0) -> ChangeClock {
    ChangeClock(limit: limit) { [time] in time.now }
  }

  @Test("numbers are the time, and rise when it stands still or goes back")
  func rising() {
    let clock = clock()
    _ = clock.begin()
    #expect(clock.next() == 1_000 * Self.second)
    #expect(clock.next() == 1_000 * Self.second + 1)
    time.now -= 500 * Self.second
    #expect(clock.next() == 1_000 * Self.second + 2)
    clock.end(committed: true)
    time.now += 501 * Self.second
    _ = clock.begin()
    #expect(clock.next() == 1_001 * Self.second)
  }

  @Test("what is settled is below all changes that a snapshot does not show")
  func settled() {
    let clock = clock()
    _ = clock.begin()
    clock.end(committed: true)
    let before = clock.settled
    #expect(before == 1_000 * Self.second)
    time.now += 5
    _ = clock.begin()
    let first = clock.next()
    #expect(first > before)
    // The transaction may not have been committed when a snapshot begins.
    #expect(clock.settled == before)
    time.now += 5
    #expect(clock.settled == before)
    clock.end(committed: true)
    #expect(clock.settled >= first)
    let after = clock.settled
    _ = clock.begin()
    #expect(clock.next() > after)
  }

  @Test("after a restart, numbers are above all that clients know, whatever the clock says")
  func restart() {
    var random = SeededGenerator(seed: 7)
    var stored: Int64 = 0
    var known: Int64 = 0
    for _ in 0..<300 {
      let clock = clock(limit: stored)
      for _ in 0..<Int.random(in: 0..<6, using: &random) {
        // The clock runs on, stands still or is set back.
        time.now = max(0, time.now + Int64.random(in: -90...90, using: &random) * Self.second)
        let limit = clock.begin()
        let numbers = (0..<3).map { _ in clock.next() }
        #expect(numbers[0] > known && numbers[1] > numbers[0] && numbers[2] > numbers[1])
        let isCommitted = Bool.random(using: &random)
        if isCommitted { (stored, known) = (limit ?? stored, numbers[2]) }
        clock.end(committed: isCommitted)
        #expect(!isCommitted || clock.settled >= known)
        known = max(known, clock.settled)
      }
    }
  }

  @Test("the limit is stored about once in half a minute")
  func limit() {
    let clock = clock()
    var storedCount = 0
    for _ in 0..<600 {
      time.now += Self.second
      if clock.begin() != nil { storedCount += 1 }
      _ = clock.next()
      clock.end(committed: true)
    }
    #expect((19...21).contains(storedCount))
  }

  @Test("a limit that was not committed is stored again")
  func undone() {
    let clock = clock()
    #expect(clock.begin() != nil)
    clock.end(committed: false)
    #expect(clock.begin() != nil)
    clock.end(committed: true)
    #expect(clock.begin() == nil)
  }
}
