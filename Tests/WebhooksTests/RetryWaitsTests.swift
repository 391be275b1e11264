import TestSupport
import Testing

@testable import Webhooks

@Suite("Delays before a delivery is retried")
struct RetryWaitsTests {
  private let waits = RetryWaits()

  @Test("the delay doubles from one second to five minutes")
  func doubles() {
    let ceilings = (1...12).map { waits.wait(after: $0, asked: nil, random: 0) }
    #expect(
      ceilings == [
        1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 150_000, 150_000, 150_000,
        150_000,
      ])
    #expect(waits.wait(after: 1, asked: nil, random: 1_000) == 2_000)
    #expect(waits.wait(after: 40, asked: nil, random: 150_000) == 300_000)
  }

  @Test("a delay that the receiver requests is kept, up to an hour")
  func asked() {
    #expect(waits.wait(after: 1, asked: 90_000, random: 0) == 90_000)
    #expect(waits.wait(after: 1, asked: 500, random: 0) == 1_000)
    #expect(waits.wait(after: 1, asked: .max, random: 0) == 3_600_000)
  }

  @Test("for any input the delay is from one second to five minutes")
  func bounds() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<1_000 {
      let wait = waits.wait(
        after: Int.random(in: 0...Int.max, using: &random), asked: nil,
        random: random.next())
      #expect((1_000...300_000).contains(wait))
    }
  }
}
