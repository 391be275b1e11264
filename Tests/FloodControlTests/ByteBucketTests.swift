import TestSupport
import Testing

@testable import FloodControl

@Suite("Byte bucket")
struct ByteBucketTests {
  private let rate = ByteRate(bytesPerSecond: 1_000, burst: 4_000)

  @Test("a full bucket lets anything through, and later requests wait for the debt")
  func letsTheLargestThrough() {
    var bucket = ByteBucket()
    #expect(bucket.wait(for: 10_000, at: 0, rate: rate) == nil)
    bucket.take(10_000, at: 0, rate: rate)
    #expect(bucket.wait(for: 0, at: 0, rate: rate) == 6_000)
    #expect(bucket.wait(for: 1, at: 6_000, rate: rate) == 1)
    #expect(bucket.wait(for: 1, at: 6_001, rate: rate) == nil)
    #expect(!bucket.isFull(at: 9_999, rate: rate))
    #expect(bucket.isFull(at: 10_000, rate: rate))
  }

  @Test("returned bytes are available again, and never more than were taken")
  func putsBack() {
    var bucket = ByteBucket()
    bucket.take(4_000, at: 0, rate: rate)
    bucket.putBack(1_000)
    #expect(bucket.wait(for: 1_000, at: 0, rate: rate) == nil)
    bucket.putBack(.max)
    #expect(bucket.isFull(at: 0, rate: rate))
    #expect(bucket.wait(for: 4_000, at: 0, rate: rate) == nil)
  }

  @Test("a rate of 0 limits nothing")
  func off() {
    var bucket = ByteBucket()
    let off = ByteRate(beside: RateLimit(count: 0, windowMilliseconds: 1_000))
    bucket.take(.max, at: 0, rate: off)
    #expect(bucket.wait(for: .max, at: 0, rate: off) == nil)
  }

  @Test("extreme amounts and times are handled without overflow")
  func extremes() {
    var bucket = ByteBucket()
    for time in [Int64.min, 0, .max] {
      bucket.take(.max, at: time, rate: rate)
      bucket.take(.min, at: time, rate: rate)
      _ = bucket.wait(for: .max, at: .max, rate: rate)
    }
    #expect(bucket.wait(for: 0, at: .max, rate: rate) != nil)
  }

  @Test("beside a flood limit there is room for its messages of average size")
  func besideLimits() {
    let usual = ByteRate(beside: RateLimit(count: 5, windowMilliseconds: 1_000))
    #expect(usual == ByteRate(bytesPerSecond: 65_536, burst: 131_072))
    #expect(usual == ByteRate(beside: RateLimit(count: 1, windowMilliseconds: 60_000)))
    let wide = ByteRate(beside: RateLimit(count: 1_000, windowMilliseconds: 1_000))
    #expect(wide == ByteRate(bytesPerSecond: 1_024_000, burst: 1_024_000))
    let huge = ByteRate(beside: RateLimit(count: .max, windowMilliseconds: 1))
    #expect(huge.bytesPerSecond == 10_240_000_000)
  }

  @Test("no period lets through more than burst and rate", arguments: UInt64(1)...10)
  func neverExceeds(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bucket = ByteBucket()
    var taken: [(time: Int64, bytes: Int)] = []
    var now: Int64 = 0
    for _ in 0..<1_500 {
      now += Int64.random(in: 0...400, using: &random)
      let bytes = Int.random(in: 0...1_500, using: &random)
      if let wait = bucket.wait(for: bytes, at: now, rate: rate) {
        #expect(wait > 0)
        #expect(bucket.wait(for: bytes, at: now + wait - 1, rate: rate) == 1)
        #expect(bucket.wait(for: bytes, at: now + wait, rate: rate) == nil)
      } else {
        bucket.take(bytes, at: now, rate: rate)
        taken.append((now, bytes))
      }
    }
    for first in stride(from: 0, to: taken.count, by: 7) {
      var sum = 0
      for entry in taken[first...] {
        sum += entry.bytes
        #expect(Int64(sum) <= rate.burst + (entry.time - taken[first].time))
      }
    }
  }
}
