import TestSupport
import Testing

@testable import Webhooks

@Suite("Waiting before a delivery is tried again")
struct BackoffTests {
  private let backoff = Backoff()

  @Test("the wait doubles from one second to five minutes")
  func doubles() {
    let waits = (1...12).map { backoff.wait(after: $0, asked: nil, jitter: 0) }
    #expect(
      waits == [
        1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 150_000, 150_000, 150_000,
        150_000,
      ])
    #expect(backoff.wait(after: 1, asked: nil, jitter: 1) == 2_000)
    #expect(backoff.wait(after: 40, asked: nil, jitter: 1) == 300_000)
  }

  @Test("what the receiver asks for is waited, up to an hour")
  func asked() {
    #expect(backoff.wait(after: 1, asked: 90_000, jitter: 0) == 90_000)
    #expect(backoff.wait(after: 1, asked: 500, jitter: 0) == 1_000)
    #expect(backoff.wait(after: 1, asked: .max, jitter: 0) == 3_600_000)
  }

  @Test("whatever comes, the wait is from one second to five minutes")
  func bounds() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<1_000 {
      let wait = backoff.wait(
        after: Int.random(in: 0...Int.max, using: &random), asked: nil,
        jitter: Double.random(in: -1...2, using: &random))
      #expect((1_000...300_000).contains(wait))
    }
  }
}
