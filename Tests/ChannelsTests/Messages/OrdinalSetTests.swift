import TestSupport
import Testing

@testable import Channels

@Suite("Sets of ordinals")
struct OrdinalSetTests {
  @Test("agree with a plain set", arguments: UInt64(1)...20)
  func agrees(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Dense sets have long ranges, sparse ones have many.
    let bound: Int64 = random.oneIn(2) ? 40 : 400
    var (tested, plain) = (OrdinalSet(), Set<Int64>())
    for _ in 0..<80 {
      let ordinal = Int64.random(in: 1...bound, using: &random)
      tested.insert(ordinal)
      plain.insert(ordinal)
      let positions: [Int64] = [0, ordinal - 1, ordinal, ordinal + 1, bound, .max - 1]
      for position in positions {
        #expect(tested.count(after: position) == Int64(plain.count { $0 > position }))
      }
      // Equal sets have equal ranges, whatever the order of insertion.
      #expect(tested == OrdinalSet(ascending: plain.sorted()))
    }
  }

  @Test("are empty at first, and join neighbours")
  func edges() {
    var set = OrdinalSet()
    #expect(set.count(after: 0) == 0 && set == OrdinalSet(ascending: []))
    for ordinal in [Int64(5), 7, 6, 6, 1] { set.insert(ordinal) }
    #expect(set == OrdinalSet(ascending: [1, 5, 6, 7]))
    #expect(set.count(after: 0) == 4 && set.count(after: 5) == 2 && set.count(after: 7) == 0)
  }
}
