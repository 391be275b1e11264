import TestSupport
import Testing

@testable import ParleyClient

@Suite("Channel position")
struct ChannelPositionTests {
  @Test("a response ahead of the events marks only its own seq as seen")
  func ahead() {
    var position = ChannelPosition(epoch: "e", reached: 5)
    position.note(8)
    #expect(position.reached == 5)
    #expect(position.isNew(7))
    #expect(!position.isNew(8))
    position.reach(7)
    #expect(position.reached == 8)
    #expect(position.ahead.isEmpty)
  }

  @Test("a response directly after the known position advances it")
  func contiguous() {
    var position = ChannelPosition(epoch: "e", reached: 5)
    position.note(7)
    position.note(6)
    #expect(position.reached == 7)
  }

  @Test("the number of remembered responses ahead of events is bounded")
  func bounded() {
    var position = ChannelPosition(epoch: "e", reached: 0)
    for seq in stride(from: Int64(2), through: 4000, by: 2) { position.note(seq) }
    #expect(position.ahead.count <= ChannelPosition.aheadLimit)
    #expect(!position.isNew(4000))
  }

  @Test("a seq that was noted or reached is never new, whatever the order")
  func model() {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    var position = ChannelPosition(epoch: "e", reached: 0)
    var noted: Set<Int64> = []
    var reached: Int64 = 0
    for _ in 0..<2000 {
      let seq = max(1, reached + Int64.random(in: -5...20, using: &generator))
      let isNew = seq > reached && !noted.contains(seq)
      #expect(position.isNew(seq) == isNew, "seed \(seed)")
      if generator.oneIn(2) {
        position.reach(seq)
        reached = max(reached, seq)
      } else {
        position.note(seq)
        noted.insert(seq)
      }
      while noted.contains(reached + 1) { reached += 1 }
      #expect(position.reached == reached, "seed \(seed)")
    }
  }
}
