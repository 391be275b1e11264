import Basics
import TestSupport
import Testing

@Suite("Back-off")
struct BackoffTests {
  @Test("ceilings double up to the limit")
  func doubles() {
    let backoff = Backoff(first: 500, limit: 30_000, jitter: .full)
    let ceilings = (1...8).map(backoff.ceiling)
    #expect(ceilings == [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    for count in [Int.min, -1, 0] { #expect(backoff.ceiling(after: count) == 500) }
    #expect(backoff.ceiling(after: .max) == 30_000)
  }

  @Test("waits range from zero, or half the ceiling, up to the ceiling")
  func ends() {
    let full = Backoff(first: 1_000, limit: 10_000, jitter: .full)
    #expect(full.wait(after: 1, random: 0) == 0)
    #expect(full.wait(after: 1, random: 1_000) == 1_000)
    let equal = Backoff(first: 1_000, limit: 10_000, jitter: .equal)
    #expect(equal.wait(after: 1, random: 0) == 500)
    #expect(equal.wait(after: 1, random: 500) == 1_000)
  }

  @Test(
    "no wait is negative or above its ceiling, whatever the settings", arguments: UInt64(1)...50)
  func bounds(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let extremes: [Int64] = [.min, -1, 0, 1, 2, 999, 30_000, .max]
    for jitter in [Backoff.Jitter.full, .equal] {
      let backoff = Backoff(
        first: extremes.randomElement(using: &random) ?? 0,
        limit: extremes.randomElement(using: &random) ?? 0, jitter: jitter)
      let failures =
        Int.random(in: .min ... .max, using: &random) >> Int.random(in: 0...62, using: &random)
      let wait = backoff.wait(after: failures, random: random.next())
      #expect((0...backoff.ceiling(after: failures)).contains(wait), "seed \(seed)")
      #expect(wait <= 86_400_000, "seed \(seed)")
    }
  }
}
