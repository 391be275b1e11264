import TestSupport
import Testing

@testable import ParleyClient

@Suite("The backlog of a consumer")
struct EventBacklogTests {
  @Test("keeps the newest events, and reports once how many it dropped")
  func overflow() {
    var backlog = EventBacklog<Int>(limit: 3)
    for number in 1...5 { backlog.append(number) }
    #expect(backlog.next { -$0 } == -2)
    #expect(backlog.next { -$0 } == 3)
    #expect(backlog.next { -$0 } == 4)
    backlog.append(6)
    #expect(backlog.next { -$0 } == 5)
    #expect(backlog.next { -$0 } == 6)
    #expect(backlog.next { -$0 } == nil)
    #expect(backlog.isEmpty)
  }

  @Test("accounts for every event, whatever the order of adding and taking", arguments: 0..<20)
  func accounting(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var backlog = EventBacklog<Int>(limit: Int.random(in: 1...4, using: &generator))
    var expected = 0
    for number in 0..<200 {
      backlog.append(number)
      while Bool.random(using: &generator), let taken = backlog.next(noticing: { -$0 }) {
        if taken < 0 {
          expected -= taken
        } else {
          #expect(taken == expected, "seed \(seed)")
          expected += 1
        }
      }
    }
    while let taken = backlog.next(noticing: { -$0 }) { expected += taken < 0 ? -taken : 1 }
    #expect(expected == 200, "seed \(seed)")
  }
}
