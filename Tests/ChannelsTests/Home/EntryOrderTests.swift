import TestSupport
import Testing

@testable import Channels

@Suite("Order of entries")
struct EntryOrderTests {
  @Test("each page continues where the previous one ended, even if users leave in between")
  func pages() {
    var order = EntryOrder()
    let numbers = (0..<6).map { order.append($0 * 10) }
    #expect(order.slots(after: 0, limit: 3) == [0, 10, 20])
    order.remove(numbers[2])
    order.remove(numbers[3])
    order.remove(numbers[3])
    #expect(order.slots(after: numbers[2], limit: 3) == [40, 50])
    #expect(order.count == 4)
    #expect(order.slots(after: numbers[5], limit: 3).isEmpty)
    #expect(order.slots(after: .max, limit: 3).isEmpty)
    #expect(order.slots(after: 0, limit: 0).isEmpty)
  }

  @Test("random entries and exits match a simple list", arguments: UInt64(1)...20)
  func agreesWithAList(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var order = EntryOrder()
    var expected: [(number: Int64, slot: Int)] = []
    for slot in 0..<2_000 {
      if Int.random(in: 0..<100, using: &generator) < 55 || expected.isEmpty {
        expected.append((order.append(slot), slot))
      } else {
        let index = Int.random(in: 0..<expected.count, using: &generator)
        order.remove(expected.remove(at: index).number)
      }
      #expect(order.count == expected.count)
      #expect(order.length <= max(expected.count + 32, expected.count * 3 / 2 + 2))
      let after = Int64.random(in: -1...Int64(slot), using: &generator)
      let rest = expected.filter { $0.number > after }.prefix(7).map(\.slot)
      #expect(order.slots(after: after, limit: 7) == rest)
    }
  }
}
