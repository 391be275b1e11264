import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("The times of a channel's messages")
struct MessageTimesTests {
  private static let hour: Int64 = 3_600_000

  @Test("they follow the clock while it is not earlier than the newest message")
  func usual() {
    var times = MessageTimes(last: 1_000, at: 0)
    #expect(times.take(at: Moment(unix: 1_000, monotonic: 5)) == 1_000)
    #expect(times.take(at: Moment(unix: 1_700, monotonic: 5)) == 1_700)
    #expect(times.take(at: Moment(unix: 9_000_000, monotonic: 900)) == 9_000_000)
  }

  @Test("when earlier than the newest message they advance at nine tenths of the steady clock")
  func behind() {
    var times = MessageTimes(last: 2 * Self.hour, at: 100)
    #expect(times.take(at: Moment(unix: 0, monotonic: 100)) == 2 * Self.hour)
    #expect(times.next(at: Moment(unix: 1_000, monotonic: 1_100)) == 2 * Self.hour + 900)
    #expect(times.take(at: Moment(unix: 1_000, monotonic: 1_100)) == 2 * Self.hour + 900)
    // A second step back changes nothing.
    #expect(times.take(at: Moment(unix: -9, monotonic: 2_100)) == 2 * Self.hour + 1_800)
  }

  @Test("a reserved time is after that of earlier messages, and not after that of later ones")
  func reserved() throws {
    var times = MessageTimes(last: 1_000, at: 0)
    let now = Moment(unix: 2_000, monotonic: 5)
    #expect(times.take(at: now) == 2_000)
    #expect(times.reserve(at: now) == 2_001 && times.reserve(at: now) == 2_002)
    #expect(times.take(at: now) == 2_002 && times.next(at: now) == 2_002)
    let later = Moment(unix: 3_000, monotonic: 1_005)
    #expect(times.reserve(at: later) == 3_000 && times.take(at: later) == 3_000)
    // An import must not be before the time either.
    #expect(throws: ServiceError.importTooEarly(2_999, newest: 3_000)) {
      try times.take(imported: 2_999, at: later)
    }
    // The clock is behind.
    let back = Moment(unix: 500, monotonic: 1_005)
    #expect(times.reserve(at: back) == 3_001 && times.take(at: back) == 3_001)
  }

  @Test("imported messages have past times, in order, and later messages continue from them")
  func imported() throws {
    var times = MessageTimes(last: 1_000, at: 0)
    let now = Moment(unix: 9_000, monotonic: 5)
    #expect(throws: ServiceError.importTooEarly(999, newest: 1_000)) {
      try times.take(imported: 999, at: now)
    }
    #expect(throws: ServiceError.importTooLate(9_001, now: 9_000)) {
      try times.take(imported: 9_001, at: now)
    }
    try times.take(imported: 1_000, at: now)
    try times.take(imported: 4_000, at: now)
    #expect(times.next(at: now) == 9_000)
    #expect(times.next(at: Moment(unix: 3_000, monotonic: 1_005)) == 4_900)
    // A clock that is behind the newest message allows none.
    #expect(throws: ServiceError.importTooLate(4_000, now: 3_999)) {
      try times.take(imported: 4_000, at: Moment(unix: 3_999, monotonic: 6))
    }
  }

  @Test("a long pause counts as at most a minute")
  func pause() {
    var times = MessageTimes(last: Self.hour, at: 0)
    #expect(times.take(at: Moment(unix: 600_000, monotonic: 600_000)) == Self.hour + 54_000)
  }

  @Test("the steady clock's time before the channel was loaded does not count")
  func load() {
    var times = MessageTimes(last: Self.hour, at: 77_000)
    #expect(times.take(at: Moment(unix: 0, monotonic: 77_000)) == Self.hour)
  }

  @Test("short pauses add up: the clock catches up within ten times the time that it lags")
  func catchesUp() {
    var times = MessageTimes(last: 10_000, at: 0)
    var now = Moment(unix: 0, monotonic: 0)
    while times.take(at: now) > now.unix {
      now.unix += 3
      now.monotonic += 3
      guard now.unix < 200_000 else { break }
    }
    #expect((99_900...100_100).contains(now.unix))
  }

  @Test(
    "a throttle over these times shows the same as over the steady clock",
    arguments: UInt64(1)...20)
  func throttle(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let limit = RateLimit(count: 5, windowMilliseconds: 1_000)
    // Its window is a tenth longer, and three milliseconds for what is rounded.
    let strict = RateLimit(count: 5, windowMilliseconds: 1_115)
    var times = MessageTimes(last: 8 * Self.hour, at: 0)
    var (window, steadyWindow) = (SlidingWindow(), SlidingWindow())
    var now = Moment(unix: 0, monotonic: 0)
    var shown: [Int64] = []
    for _ in 0..<500 {
      let pause = Int64.random(in: 0...400, using: &random)
      now.unix += pause
      now.monotonic += pause
      let isShown = window.admit(at: times.take(at: now), limit: limit) == nil
      if isShown { shown.append(now.monotonic) }
      // Never more than by the steady clock.
      if isShown { #expect(steadyWindow.admit(at: now.monotonic, limit: limit) == nil) }
      // And a message is withheld only if the stricter window is full.
      let recent = shown.filter { now.monotonic - $0 < strict.windowMilliseconds }
      #expect(isShown || recent.count >= strict.count)
    }
  }
}
