import TestSupport
import Testing

@testable import LoadGenerator

@Suite("Set of sequence numbers")
struct SeqSetTests {
  @Test("it behaves like a set of numbers", arguments: 1...20)
  func model(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let base = Int64.random(in: 0...1000, using: &generator)
    var (set, model) = (SeqSet(above: base), Set<Int64>())
    for _ in 0..<400 {
      let seq = Int64.random(in: (base - 5)...(base + 500), using: &generator)
      let expected: SeqSet.Insertion =
        seq <= base ? .outOfRange : model.insert(seq).inserted ? .inserted : .presentBefore
      #expect(set.insert(seq) == expected, "seed \(seed)")
    }
    #expect(set.count == model.count)
    for seq in (base - 5)...(base + 600) { #expect(set.contains(seq) == model.contains(seq)) }
  }

  @Test("sets with the same numbers above the same base are equal")
  func equality() {
    var (one, other) = (SeqSet(above: 5), SeqSet(above: 5))
    for seq in [6, 70, 900] as [Int64] { _ = one.insert(seq) }
    for seq in [900, 6, 70] as [Int64] { _ = other.insert(seq) }
    #expect(one.isEqual(to: other))
    _ = other.insert(7)
    #expect(!one.isEqual(to: other))
    _ = one.insert(8)
    #expect(!one.isEqual(to: other))
    #expect(!SeqSet(above: 1).isEqual(to: SeqSet(above: 2)))
  }

  @Test("an extremely large sequence number uses no memory")
  func outOfProportion() {
    var set = SeqSet(above: 0)
    #expect(set.insert(.max) == .outOfRange)
    #expect(SeqSet(above: .min).contains(.max) == false)
  }
}
