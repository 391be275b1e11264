import Basics
import ParleyProtocol
import Testing

@testable import Hooks

@Suite("Which calls the app's back end is asked about")
struct HookDeskTests {
  private var limits = HookLimits(concurrency: 2, waiting: 2, waitingBytes: 100)

  private func desk() -> HookDesk { HookDesk(limits) }

  @Test("calls beyond the concurrency wait in order, and those beyond the queue are skipped")
  func queue() {
    var desk = desk()
    #expect(desk.take(1, .messageSend, byteCount: 10, until: 50, at: 0) == .start(1))
    #expect(desk.take(2, .messageSend, byteCount: 10, until: 50, at: 0) == .start(2))
    #expect(desk.take(3, .messageSend, byteCount: 10, until: 50, at: 0) == nil)
    #expect(desk.take(4, .groupJoin, byteCount: 10, until: 50, at: 0) == nil)
    #expect(desk.take(5, .messageSend, byteCount: 10, until: 50, at: 0) == .skip(5, .queue))
    #expect(desk.waitingCount == 2)
    #expect(desk.next(at: 1) == nil)
    _ = desk.end(1, isAnswered: true, at: 1)
    #expect(desk.next(at: 1) == .start(3))
    #expect(desk.next(at: 1) == nil)
    _ = desk.end(2, isAnswered: false, at: 2)
    #expect(desk.next(at: 2) == .start(4))
    #expect(desk.runningCount == 2)
  }

  @Test("bytes of waiting calls are limited, and one that has waited too long is given up")
  func ends() {
    var desk = desk()
    for id in 1...2 {
      _ = desk.take(UInt64(id), .messageSend, byteCount: 90, until: 50, at: 0)
    }
    #expect(desk.take(3, .messageSend, byteCount: 90, until: 50, at: 0) == nil)
    #expect(desk.take(4, .messageSend, byteCount: 90, until: 50, at: 0) == .skip(4, .queue))
    #expect(desk.wakeTime == 50)
    #expect(desk.next(at: 49) == nil)
    #expect(desk.next(at: 50) == .skip(3, .timeout))
    #expect(desk.wakeTime == nil)
  }

  @Test("five failures in a row open the circuit of a hook for five seconds, then one call tries")
  func circuit() {
    var desk = desk()
    for id in 1...4 {
      let id = UInt64(id)
      #expect(desk.take(id, .messageSend, byteCount: 1, until: 50, at: 0) == .start(id))
      #expect(desk.end(id, isAnswered: false, at: 0) == nil)
    }
    #expect(desk.take(5, .messageSend, byteCount: 1, until: 50, at: 0) == .start(5))
    #expect(desk.end(5, isAnswered: false, at: 10) == .opened(wait: 5_000))
    #expect(desk.openCircuits == [.messageSend])
    #expect(
      desk.take(6, .messageSend, byteCount: 1, until: 50, at: 5_009) == .skip(6, .circuit))
    #expect(desk.take(7, .messageUpdate, byteCount: 1, until: 50, at: 20) == .start(7))
    #expect(desk.take(8, .messageSend, byteCount: 1, until: 9_000, at: 5_010) == .start(8))
    _ = desk.end(7, isAnswered: true, at: 5_010)
    #expect(
      desk.take(9, .messageSend, byteCount: 1, until: 9_000, at: 5_010) == .skip(9, .circuit))
    #expect(desk.end(8, isAnswered: false, at: 5_020) == .reopened(wait: 5_000))
    #expect(desk.take(10, .messageSend, byteCount: 1, until: 11_000, at: 10_020) == .start(10))
    #expect(desk.end(10, isAnswered: true, at: 10_021) == .closed)
    #expect(desk.openCircuits.isEmpty)
  }

  @Test("an answer in between starts the count of failures again")
  func inARow() {
    var desk = desk()
    for (id, isAnswered) in [false, false, false, false, true, false].enumerated() {
      _ = desk.take(UInt64(id), .messageSend, byteCount: 1, until: 50, at: 0)
      #expect(desk.end(UInt64(id), isAnswered: isAnswered, at: 0) == nil)
    }
    #expect(desk.openCircuits.isEmpty)
  }
}
