import TestSupport
import Testing

@testable import Channels

@Suite("Ephemeral sends")
struct EphemeralSendsTests {
  private func key(_ number: Int) -> RequestKey {
    RequestKey(userID: "user", requestID: "\(number)")
  }

  @Test("a repeated send is recognized for ten minutes, for the same user only")
  func remembers() {
    var sends = EphemeralSends<[UInt8]>()
    sends.record([1], of: key(1), byteCount: 1, now: 0)
    #expect(sends.result(of: key(1), now: 599_999) == [1])
    #expect(sends.result(of: RequestKey(userID: "other", requestID: "1"), now: 0) == nil)
    #expect(sends.result(of: key(1), now: 600_000) == nil)
  }

  @Test("beyond 4,096 sends the oldest are forgotten")
  func forgets() {
    var sends = EphemeralSends<[UInt8]>()
    for number in 0..<5000 { sends.record([], of: key(number), byteCount: 0, now: Int64(number)) }
    #expect(sends.result(of: key(903), now: 5000) == nil)
    #expect(sends.result(of: key(904), now: 5000) != nil)
    #expect(sends.result(of: key(4999), now: 5000) != nil)
  }

  @Test("sends beyond a total of 1 MiB evict the oldest")
  func forgetsBytes() {
    var sends = EphemeralSends<Int>()
    for number in 0..<20 { sends.record(number, of: key(number), byteCount: 100_000, now: 0) }
    #expect(sends.byteCount == 1_000_000)
    #expect(sends.result(of: key(9), now: 0) == nil)
    #expect(sends.result(of: key(10), now: 0) == 10)
    sends.record(20, of: key(20), byteCount: 2_000_000, now: 0)
    #expect(sends.byteCount == 0)
    #expect(sends.result(of: key(20), now: 0) == nil)
  }

  @Test("a replaced result keeps its time, and counts with its new size")
  func replaces() {
    var sends = EphemeralSends<Int>()
    sends.record(1, of: key(1), byteCount: 100, now: 0)
    sends.record(2, of: key(2), byteCount: 100, now: 500)
    sends.replace(3, of: key(1), byteCount: 300, now: 600)
    sends.replace(9, of: key(9), byteCount: 300, now: 600)
    #expect(sends.byteCount == 400)
    #expect(sends.result(of: key(9), now: 600) == nil)
    #expect(sends.result(of: key(1), now: 599_999) == 3)
    #expect(sends.result(of: key(1), now: 600_000) == nil)
    #expect(sends.byteCount == 100)
    sends.replace(4, of: key(2), byteCount: 2_000_000, now: 600_001)
    #expect(sends.result(of: key(2), now: 600_001) == nil)
    #expect(sends.byteCount == 0)
  }

  @Test("random sends match a simple list", arguments: UInt64(1)...10)
  func agreesWithAList(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var sends = EphemeralSends<[UInt8]>()
    var expected: [(number: Int, time: Int64)] = []
    var now: Int64 = 0
    for number in 0..<1000 {
      now += Int64.random(in: 0...5000, using: &generator)
      sends.record([UInt8(truncatingIfNeeded: number)], of: key(number), byteCount: 1, now: now)
      expected.append((number, now))
      let asked = Int.random(in: 0...number, using: &generator)
      let isKnown = expected.contains { $0.number == asked && now < $0.time + 600_000 }
      let result = isKnown ? [UInt8(truncatingIfNeeded: asked)] : nil
      #expect(sends.result(of: key(asked), now: now) == result)
    }
  }
}
