import TestSupport
import Testing

@testable import Channels

@Suite("Slot set")
struct SlotSetTests {
  @Test("random changes match a set of numbers", arguments: UInt64(1)...20)
  func agreesWithASet(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var slots = SlotSet()
    var expected: Set<Int> = []
    for _ in 0..<500 {
      let slot = Int.random(in: 0..<300, using: &generator)
      if Bool.random(using: &generator) {
        slots.insert(slot)
        expected.insert(slot)
      } else {
        slots.remove(slot)
        expected.remove(slot)
      }
      #expect(slots.contains(slot) == expected.contains(slot))
      #expect(slots.isEmpty == expected.isEmpty)
    }
    var other = SlotSet()
    for slot in (0..<20).map({ $0 * 23 }) {
      other.insert(slot)
      expected.insert(slot)
    }
    slots.formUnion(other)
    slots.formUnion(SlotSet())
    var visited: [Int] = []
    slots.forEach { visited.append($0) }
    #expect(visited == expected.sorted())
    for slot in 0..<500 { #expect(slots.contains(slot) == expected.contains(slot)) }
  }
}
