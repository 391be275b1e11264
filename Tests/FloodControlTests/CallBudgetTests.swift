import TestSupport
import Testing

@testable import FloodControl

@Suite("The budget for calls")
struct CallBudgetTests {
  private let rate = CallRate(callsPerSecond: 100, burst: 3)
  private let millisecond: UInt64 = 1_000_000

  @Test("a refused call is charged like others, and its wait is exact")
  func chargesRefusals() {
    var budget = CallBudget()
    for _ in 0..<3 { #expect(budget.take(at: 0, rate: rate) == nil) }
    #expect(budget.take(at: 0, rate: rate) == 20)
    #expect(budget.take(at: 0, rate: rate) == 30)
    #expect(budget.take(at: 30, rate: rate) == nil)
  }

  @Test("a free call is refused only while there is a debt")
  func admitsFree() {
    var budget = CallBudget()
    for _ in 0..<3 { #expect(budget.take(at: 0, rate: rate) == nil) }
    #expect(budget.admitFree(at: 0, rate: rate) == nil)
    budget.chargeRefusal(at: 0, rate: rate)
    #expect(budget.admitFree(at: 0, rate: rate) == 30)
    #expect(budget.admitFree(at: 19, rate: rate) != nil)
    #expect(budget.admitFree(at: 31, rate: rate) == nil)
  }

  @Test("a call of several parts is paid for at once, or not at all")
  func paysForParts() {
    var budget = CallBudget()
    #expect(budget.take(at: 0, rate: rate) == nil)
    #expect(budget.take(further: 2, at: 0, rate: rate) == nil)
    #expect(budget.take(further: 2, at: 0, rate: rate) == 20)
    #expect(budget.take(further: 1, at: 0, rate: rate) == 10)
    #expect(budget.take(further: 2, at: 19, rate: rate) == 1)
    #expect(budget.take(further: 2, at: 20, rate: rate) == nil)
    #expect(budget.take(further: 0, at: 20, rate: rate) == nil)
  }

  @Test("a full budget pays for a call of more parts than the burst, and is in debt then")
  func paysForTooManyParts() {
    var budget = CallBudget()
    #expect(budget.take(at: 0, rate: rate) == nil)
    #expect(budget.take(further: 9, at: 0, rate: rate) == nil)
    #expect(budget.take(further: 9, at: 70, rate: rate) == 20)
    #expect(budget.take(further: 9, at: 0, rate: CallRate(callsPerSecond: 0, burst: 0)) == nil)
  }

  @Test("a message costs one call for each 16 KiB")
  func chargesBytes() {
    for (bytes, calls) in [(0, 0), (16_383, 0), (16_384, 1), (262_144, 16)] {
      var budget = CallBudget()
      let large = CallRate(callsPerSecond: 100, burst: 20)
      budget.charge(messageBytes: bytes, at: 0, rate: large)
      var left = 0
      while left < 30, budget.take(at: 0, rate: large) == nil { left += 1 }
      #expect(left == 20 - calls, "\(bytes) bytes")
    }
  }

  @Test("reader time costs one call for each 5 ms started, except for the first ones")
  func chargesTime() {
    for (time, calls) in [(0, 0), (1, 0), (5, 0), (6, 1), (10, 1), (11, 2), (100, 19)] {
      var budget = CallBudget()
      let large = CallRate(callsPerSecond: 100, burst: 20)
      budget.charge(readerNanoseconds: UInt64(time) * millisecond, at: 0, rate: large)
      var left = 0
      while left < 30, budget.take(at: 0, rate: large) == nil { left += 1 }
      #expect(left == 20 - calls, "\(time) ms")
    }
  }

  @Test("calls of a caller deep in debt are not read until the debt is paid")
  func silences() {
    var budget = CallBudget()
    for _ in 0..<3 { _ = budget.take(at: 0, rate: rate) }
    for _ in 0..<99 { budget.chargeRefusal(at: 0, rate: rate) }
    #expect(budget.silence(at: 0, rate: rate) == nil)
    budget.chargeRefusal(at: 0, rate: rate)
    #expect(budget.silence(at: 0, rate: rate) == 1000)
    #expect(budget.admitFree(at: 1000, rate: rate) == nil)
    #expect(budget.take(at: 1000, rate: rate) == 20)
  }

  @Test("no debt takes longer than ten seconds to pay")
  func boundsDebt() {
    var budget = CallBudget()
    budget.charge(readerNanoseconds: .max - 5 * millisecond, at: 0, rate: rate)
    for _ in 0..<1_000 { budget.chargeRefusal(at: 0, rate: rate) }
    #expect(budget.silence(at: 0, rate: rate) == 10_000)
    #expect(budget.take(at: 10_010, rate: rate) == nil)
  }

  @Test("without a limit nothing is charged")
  func off() {
    let off = CallRate(callsPerSecond: 0, burst: 1)
    var budget = CallBudget()
    for _ in 0..<1_000 { budget.chargeRefusal(at: 0, rate: off) }
    #expect(budget.take(at: 0, rate: off) == nil)
    #expect(budget.admitFree(at: 0, rate: off) == nil)
    #expect(budget.silence(at: 0, rate: off) == nil)
  }

  @Test("the budget agrees with its specification", arguments: UInt64(1)...20)
  func againstRule(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let rate = CallRate(
      callsPerSecond: .random(in: 1...500, using: &random),
      burst: .random(in: 1...20, using: &random))
    var budget = CallBudget()
    // Thousandth parts of a call; below zero it is a debt.
    var level = rate.burst * 1000
    var now: Int64 = 0
    for step in 0..<500 {
      let pause = Int64.random(in: 0...20, using: &random)
      now += pause
      level = min(rate.burst * 1000, level + Int(pause) * rate.callsPerSecond)
      let floor = -10_000 * rate.callsPerSecond
      switch Int.random(in: 0...2, using: &random) {
      case 0:
        let passes = level >= 1000
        level -= 1000
        let wait = budget.take(at: now, rate: rate)
        #expect((wait == nil) == passes, "seed \(seed), \(step)")
      case 1:
        let passes = level >= 0
        if !passes { level -= 1000 }
        let wait = budget.admitFree(at: now, rate: rate)
        #expect((wait == nil) == passes, "seed \(seed), \(step)")
      default:
        budget.chargeRefusal(at: now, rate: rate)
        level -= 1000
      }
      level = max(level, floor)
    }
  }
}
