import Testing

@testable import FloodControl
import TestSupport

@Suite("Sliding window compared with its specification")
struct SlidingWindowPropertyTests {
  /// Steps that make equal times, times at the very edge of the window, and pauses likely.
  private func step(_ window: Int64, _ random: inout SeededGenerator) -> Int64 {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2: 0
    case 3: 1
    case 4: window
    case 5: max(0, window - 1)
    case 6: Int64.random(in: 0...(window / 3 + 1), using: &random)
    default: -1
    }
  }

  @Test("with one limit, waits match the specification", arguments: 1...25)
  func constantLimit(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let limit = RateLimit(
      count: Int.random(in: 1...12, using: &random),
      windowMilliseconds: Int64.random(in: 1...60, using: &random))
    var window = SlidingWindow()
    var naive = NaiveWindow()
    var now: Int64 = 1000
    var mismatches = 0
    for _ in 0..<200 {
      now += step(limit.windowMilliseconds, &random)
      if Int.random(in: 0..<6, using: &random) == 0 {
        window.record(at: now, limit: limit)
        naive.record(at: now, limit)
      } else {
        let expected = naive.wait(at: now, limit)
        if expected == nil { naive.record(at: now, limit) }
        mismatches += window.admit(at: now, limit: limit) == expected ? 0 : 1
      }
      let end = max(now, naive.admissions.last ?? now)
      let used = min(naive.inWindow(endingAt: end, limit).count, limit.count)
      let usage = WindowUsage(used: used, wait: naive.wait(at: now, limit))
      mismatches += window.usage(at: now, limit: limit) == usage ? 0 : 1
      let hasRoom = naive.wait(at: now, limit) == nil
      mismatches += window.hasRoom(at: now, limit: limit) == hasRoom ? 0 : 1
    }
    #expect(mismatches == 0, "seed \(seed)")
  }

  @Test("while the count changes, waits match the specification", arguments: 1...25)
  func changingCount(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let milliseconds = Int64.random(in: 1...60, using: &random)
    var window = SlidingWindow()
    var naive = NaiveWindow()
    var now: Int64 = 0
    var mismatches = 0
    for _ in 0..<200 {
      now += max(0, step(milliseconds, &random))
      let limit = RateLimit(
        count: Int.random(in: 1...9, using: &random), windowMilliseconds: milliseconds)
      let expected = naive.wait(at: now, limit)
      if expected == nil { naive.record(at: now, limit) }
      mismatches += window.admit(at: now, limit: limit) == expected ? 0 : 1
      if expected == nil, Int.random(in: 0..<10, using: &random) == 0 {
        naive.retract(at: now)
        window.retract(at: now)
      }
    }
    #expect(mismatches == 0, "seed \(seed)")
  }

  @Test("while the window's length changes, waits match the specification", arguments: 1...25)
  func changingLength(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...9, using: &random)
    var window = SlidingWindow()
    var naive = NaiveWindow()
    var now: Int64 = 0
    var mismatches = 0
    for _ in 0..<200 {
      let limit = RateLimit(
        count: count, windowMilliseconds: Int64.random(in: 1...60, using: &random))
      now += max(0, step(limit.windowMilliseconds, &random))
      let expected = naive.wait(at: now, limit)
      if expected == nil { naive.record(at: now, limit) }
      mismatches += window.admit(at: now, limit: limit) == expected ? 0 : 1
    }
    #expect(mismatches == 0, "seed \(seed)")
  }

  @Test("no period of the window's length holds more than the count", arguments: 1...10)
  func density(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let limit = RateLimit(count: 5, windowMilliseconds: 1000)
    var window = SlidingWindow()
    var admitted = NaiveWindow()
    var now: Int64 = 0
    for _ in 0..<500 {
      now += Int64.random(in: 0...250, using: &random)
      if window.admit(at: now, limit: limit) == nil { admitted.record(at: now, limit) }
    }
    #expect(admitted.densest(1000) == 5, "seed \(seed)")
  }
}
