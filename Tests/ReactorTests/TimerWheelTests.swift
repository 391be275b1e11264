import TestSupport
import Testing

@testable import Reactor

@Suite("Timer wheel", .onOwnThreads)
struct TimerWheelTests {
  @Test("a timer fires within one tick after its deadline, never before it")
  func firesAfterItsDeadline() {
    for deadline in Int64(1000)...1100 {
      var wheel = TimerWheel<Int>(now: 1000)
      _ = wheel.schedule(1, at: deadline)
      var time: Int64 = 1000
      while wheel.due(now: time).isEmpty { time += 1 }
      #expect((deadline...deadline + 16).contains(time), "deadline \(deadline)")
    }
  }

  @Test("a deadline in the past fires on the next tick")
  func firesForThePast() {
    var wheel = TimerWheel<String>(now: 5000)
    _ = wheel.schedule("late", at: -3)
    #expect(wheel.due(now: 5032).map(\.0) == ["late"])
    #expect(wheel.count == 0)
  }

  @Test("a timer many turns of the wheel away is skipped until its time")
  func firesFarAway() {
    let deadline: Int64 = 100_000_000
    var wheel = TimerWheel<String>(now: 0)
    _ = wheel.schedule("far", at: deadline)
    for time in stride(from: Int64(0), to: deadline, by: 15_999) {
      #expect(wheel.due(now: time).isEmpty)
    }
    #expect(wheel.due(now: deadline + 16).map(\.0) == ["far"])
  }

  @Test("the largest deadline works like any other")
  func acceptsTheLastMoment() {
    var wheel = TimerWheel<String>(now: 0)
    let token = wheel.schedule("never", at: .max)
    #expect(wheel.due(now: 1_000_000_000_000).isEmpty)
    wheel.cancel(token)
    #expect(wheel.count == 0)
  }

  @Test("a token is invalid once its timer has fired, even if another uses its slot")
  func tokensAreNotReused() {
    var wheel = TimerWheel<String>(now: 0)
    let first = wheel.schedule("first", at: 10)
    #expect(wheel.due(now: 32).map(\.1) == [first])
    let second = wheel.schedule("second", at: 40)
    #expect(first != second)
    wheel.cancel(first)
    #expect(wheel.due(now: 64).map(\.0) == ["second"])
  }

  @Test("a timer that is cancelled twice frees its slot once")
  func cancelsOnce() {
    var wheel = TimerWheel<Int>(now: 0)
    let token = wheel.schedule(1, at: 100)
    wheel.cancel(token)
    wheel.cancel(token)
    _ = wheel.schedule(2, at: 100)
    _ = wheel.schedule(3, at: 100)
    #expect(wheel.count == 2)
    #expect(Set(wheel.due(now: 200).map(\.0)) == [2, 3])
  }

  @Test("without timers there is no wake-up")
  func waitsForNothing() {
    var wheel = TimerWheel<Int>(now: 0)
    #expect(wheel.millisecondsUntilNext(now: 0) == nil)
    let token = wheel.schedule(1, at: 100)
    #expect(wheel.millisecondsUntilNext(now: 0) == 112)
    wheel.cancel(token)
    #expect(wheel.millisecondsUntilNext(now: 0) == nil)
  }

  @Test("random timers fire like those of a plain list", arguments: UInt64(1)...40)
  func agreesWithNaiveTimers(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var comparison = TimerComparison(now: Int64.random(in: 0...1_000_000, using: &generator))
    for _ in 0..<2000 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5: comparison.schedule(using: &generator)
      case 5..<7: comparison.cancel(using: &generator)
      default: comparison.advance(using: &generator)
      }
    }
    comparison.finish()
  }
}

/// A wheel beside a list of the timers that it should hold.
private struct TimerComparison {
  private static let tick: Int64 = 16

  private struct Expected {
    let id: Int
    let token: TimerWheel<Int>.Token
    let deadline: Int64
    /// The first moment at which it must have fired.
    let latest: Int64
  }

  private var now: Int64
  private var wheel: TimerWheel<Int>
  private var expected: [Expected] = []
  private var spent: [TimerWheel<Int>.Token] = []
  private var nextID = 0

  init(now: Int64) {
    self.now = now
    wheel = TimerWheel(now: now)
  }

  mutating func schedule(using generator: inout SeededGenerator) {
    let distance: Int64 =
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: .random(in: -100_000...0, using: &generator)
      case 1..<6: .random(in: 0...500, using: &generator)
      case 6..<9: .random(in: 0...40_000, using: &generator)
      default: .random(in: 0...10_000_000, using: &generator)
      }
    let token = wheel.schedule(nextID, at: now + distance)
    let latest = (max(now + distance, now) / Self.tick + 1) * Self.tick
    expected.append(
      Expected(id: nextID, token: token, deadline: now + distance, latest: latest))
    nextID += 1
  }

  mutating func cancel(using generator: inout SeededGenerator) {
    if let old = spent.randomElement(using: &generator) { wheel.cancel(old) }
    guard let index = expected.indices.randomElement(using: &generator) else { return }
    let removed = expected.remove(at: index)
    wheel.cancel(removed.token)
    spent.append(removed.token)
  }

  mutating func advance(using generator: inout SeededGenerator) {
    let step: Int64 =
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6: .random(in: 0...40, using: &generator)
      case 6..<9: .random(in: 0...3000, using: &generator)
      default: .random(in: 0...60_000, using: &generator)
      }
    checkWaking()
    now += step
    collect()
  }

  /// Lets the longest of all timers end.
  mutating func finish() {
    now += 20_000_000
    collect()
    #expect(expected.isEmpty && wheel.count == 0)
  }

  private mutating func collect() {
    let fired = wheel.due(now: now)
    let ids = Set(fired.map(\.0))
    #expect(ids.count == fired.count, "a timer fired twice")
    for timer in expected where ids.contains(timer.id) {
      #expect(timer.deadline <= now, "timer \(timer.id) fired early")
      spent.append(timer.token)
    }
    #expect(ids.isSubset(of: expected.map(\.id)), "a timer fired that is not set")
    expected.removeAll { ids.contains($0.id) }
    #expect(!expected.contains { $0.latest <= now }, "a timer was missed")
    #expect(wheel.count == expected.count)
  }

  private func checkWaking() {
    let wait = wheel.millisecondsUntilNext(now: now)
    #expect((wait == nil) == expected.isEmpty)
    guard let wait, let latest = expected.map(\.latest).min() else { return }
    #expect(wait >= 0 && now + wait <= max(latest, now), "the loop would oversleep")
  }
}
