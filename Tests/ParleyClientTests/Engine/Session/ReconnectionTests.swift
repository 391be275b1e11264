import TestSupport
import Testing

@testable import ParleyClient

@Suite("Delays before reconnecting")
struct ReconnectionTests {
  @Test("delays double up to the limit, with full jitter")
  func doubles() {
    var reconnection = Reconnection(Reconnection.Settings())
    // The remainder of the greatest number by each ceiling + 1 is not what is looked at here: the
    // ceilings themselves are found with the number just before a multiple of them.
    let ceilings: [Int64] = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]
    for ceiling in ceilings {
      #expect(reconnection.next(random: UInt64(ceiling)) == ceiling)
    }
    #expect(reconnection.attempt == ceilings.count)
  }

  @Test("no delay is negative or longer than its ceiling")
  func bounded() {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    var reconnection = Reconnection(Reconnection.Settings())
    for _ in 0..<1000 {
      let wait = reconnection.next(random: generator.next())
      #expect((0...30_000).contains(wait), "seed \(seed)")
    }
  }

  @Test("a stable connection resets the counter")
  func resets() {
    var reconnection = Reconnection(Reconnection.Settings())
    for _ in 0..<10 { _ = reconnection.next(random: 1) }
    reconnection.reset()
    #expect(reconnection.next(random: 500) == 500)
    #expect(reconnection.attempt == 1)
  }
}
