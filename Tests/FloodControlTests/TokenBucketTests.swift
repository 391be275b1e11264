import Testing

@testable import FloodControl
import TestSupport

@Suite("Token bucket")
struct TokenBucketTests {
  private let rate = CallRate(callsPerSecond: 100, burst: 3)

  @Test("a burst passes, then one call every ten milliseconds")
  func burstThenRate() {
    var bucket = TokenBucket()
    for _ in 0..<3 { #expect(bucket.take(at: 0, rate: rate) == nil) }
    #expect(bucket.take(at: 0, rate: rate) == 10)
    #expect(bucket.take(at: 9, rate: rate) == 1)
    #expect(bucket.take(at: 10, rate: rate) == nil)
    #expect(bucket.take(at: 10, rate: rate) == 10)
  }

  @Test("a refusal takes no token, and a pause fills the bucket only to its size")
  func refill() {
    var bucket = TokenBucket()
    for _ in 0..<50 { _ = bucket.take(at: 0, rate: rate) }
    let passed = (0..<50).filter { _ in bucket.take(at: 1_000_000, rate: rate) == nil }.count
    #expect(passed == 3)
  }

  @Test("a clock that steps back or jumps ahead is harmless")
  func strangeClocks() {
    var bucket = TokenBucket()
    for _ in 0..<3 { #expect(bucket.take(at: 1000, rate: rate) == nil) }
    #expect(bucket.take(at: 0, rate: rate) == 10)
    #expect(bucket.take(at: Int64.max, rate: rate) == nil)
  }

  @Test("a rate of zero limits nothing")
  func off() {
    var bucket = TokenBucket()
    let off = CallRate(callsPerSecond: 0, burst: 1)
    for _ in 0..<1000 { #expect(bucket.take(at: 0, rate: off) == nil) }
  }

  @Test("a slow rate rounds the wait up")
  func slowRate() {
    var bucket = TokenBucket()
    let slow = CallRate(callsPerSecond: 3, burst: 1)
    #expect(bucket.take(at: 0, rate: slow) == nil)
    #expect(bucket.take(at: 0, rate: slow) == 334)
    #expect(bucket.take(at: 333, rate: slow) == 1)
    #expect(bucket.take(at: 334, rate: slow) == nil)
  }

  @Test("a smaller burst applies immediately")
  func shrinkingBurst() {
    var bucket = TokenBucket()
    let large = CallRate(callsPerSecond: 1, burst: 100)
    for _ in 0..<50 { #expect(bucket.take(at: 0, rate: large) == nil) }
    #expect(bucket.take(at: 1, rate: CallRate(callsPerSecond: 1, burst: 2)) != nil)
    #expect(bucket.take(at: 3000, rate: CallRate(callsPerSecond: 1, burst: 2)) == nil)
  }

  @Test("the reported wait is the shortest after which a call passes", arguments: 1...20)
  func againstRule(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let rate = CallRate(
      callsPerSecond: Int.random(in: 1...3000, using: &random),
      burst: Int.random(in: 1...20, using: &random))
    var bucket = TokenBucket()
    var level = rate.burst * 1000
    var last: Int64 = 0
    var mismatches = 0
    for _ in 0..<200 {
      let now = last + Int64.random(in: 0...20, using: &random)
      level = min(rate.burst * 1000, level + Int(now - last) * rate.callsPerSecond)
      last = now
      let wait = (0...Int64(1000)).first { level + Int($0) * rate.callsPerSecond >= 1000 }
      if wait == 0 { level -= 1000 }
      let expected = wait == 0 ? nil : wait
      mismatches += bucket.take(at: now, rate: rate) == expected ? 0 : 1
    }
    #expect(mismatches == 0, "seed \(seed)")
  }
}
