import FloodControl
import TestSupport
import Testing

@testable import Channels

@Suite("Participants")
struct ParticipantsTests {
  @Test("a user keeps its slot while any of its connections is in the channel")
  func keepsSlots() {
    var participants = Participants()
    #expect(participants.add(.sample(1), of: "ann", throttle: Throttle()) == 0)
    #expect(participants.add(.sample(2), of: "ann", throttle: Throttle()) == nil)
    #expect(participants.add(.sample(2), of: "ann", throttle: Throttle()) == nil)
    #expect(participants[0]?.connections == [.sample(1), .sample(2)])
    #expect(participants.remove(.sample(1), of: "ann") == false)
    #expect(participants.slot(of: "ann") == 0)
    #expect(participants.remove(.sample(3), of: "ann") == false)
    #expect(participants.remove(.sample(2), of: "ann") == true)
    #expect(!participants.contains("ann"))
  }

  @Test("a user that reuses a slot starts with an empty window")
  func startsAnew() {
    var participants = Participants()
    let limit = RateLimit(count: 1, windowMilliseconds: 1000)
    func decide() -> SlotSet {
      participants.decide(
        MessageFacts(id: 1, createdAt: 100, authorID: "other"), author: nil, limit: limit)
    }
    _ = participants.add(.sample(1), of: "ann", throttle: Throttle())
    #expect(decide().isEmpty)
    #expect(decide().contains(0))
    _ = participants.removeAll(of: "ann")
    #expect(participants.add(.sample(2), of: "bob", throttle: Throttle()) == 0)
    #expect(participants.takeWithheld(slot: 0) == nil)
    #expect(decide().isEmpty)
  }

  @Test("authors and operators are shown everything, and departed users are not considered")
  func decidesByRelation() {
    var participants = Participants(operatorIDs: ["operator", "elsewhere"])
    let limit = RateLimit(count: 1, windowMilliseconds: 1000)
    for (index, id) in ["author", "operator", "reader", "gone"].enumerated() {
      _ = participants.add(.sample(index), of: id, throttle: Throttle())
    }
    _ = participants.removeAll(of: "gone")
    let decisions = (Int64(1)...3).map { id in
      participants.decide(
        MessageFacts(id: id, createdAt: 100, authorID: "author"), author: 0, limit: limit)
    }
    #expect(decisions.map(\.count) == [0, 1, 1])
    #expect(decisions[1].contains(2))
    let withheld = participants.takeWithheld(slot: 2)
    #expect(withheld?.count == 2)
    #expect(withheld?.lastMessageID == 3)
    #expect(participants.throttle(of: "operator")?.shownCount(at: 100, limit: limit) == 1)
    #expect(participants.throttle(of: "author")?.shownCount(at: 100, limit: limit) == 1)
  }

  @Test("a new operator is shown everything, a former operator is throttled again")
  func followsOperators() {
    var participants = Participants()
    let limit = RateLimit(count: 1, windowMilliseconds: 1000)
    func decide(at time: Int64) -> SlotSet {
      participants.decide(
        MessageFacts(id: time, createdAt: time, authorID: "other"), author: nil, limit: limit)
    }
    _ = participants.add(.sample(1), of: "ann", throttle: Throttle())
    participants.setOperators(["ann", "bob"])
    #expect((1...3).allSatisfy { decide(at: $0).isEmpty })
    participants.setOperators(["bob"])
    #expect(decide(at: 4).contains(0))
    _ = participants.removeAll(of: "ann")
    _ = participants.add(.sample(2), of: "bob", throttle: Throttle())
    #expect((5...8).allSatisfy { decide(at: $0).isEmpty })
    _ = participants.removeAll(of: "bob")
    _ = participants.add(.sample(1), of: "ann", throttle: Throttle())
    #expect(decide(at: 2001).isEmpty)
    #expect(decide(at: 2002).contains(0))
  }

  @Test("random entries and exits match a simple list", arguments: UInt64(1)...20)
  func agreesWithAList(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var comparison = ParticipantsComparison()
    for _ in 0..<800 { comparison.step(using: &generator) }
  }
}

/// Participants beside a plain list.
private struct ParticipantsComparison {
  private var participants = Participants()
  private var expected: [(userID: String, connections: [SessionAddress])] = []

  mutating func step(using generator: inout SeededGenerator) {
    let userID = "user-\(Int.random(in: 0..<20, using: &generator))"
    let number = Int.random(in: 0..<3, using: &generator)
    let connection = SessionAddress.sample(number, shard: number % 2)
    let index = expected.firstIndex { $0.userID == userID }
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<10: add(connection, userID, index)
    case 10..<18: remove(connection, userID, index)
    case 18 where generator.oneIn(20):
      #expect(participants.removeAll().count == expected.count)
      expected = []
    default:
      let removed = participants.removeAll(of: userID)
      #expect(removed?.connections == index.map { expected[$0].connections })
      if let index { expected.remove(at: index) }
    }
    check()
  }

  private mutating func add(
    _ connection: SessionAddress, _ userID: String, _ index: Int?
  ) {
    let slot = participants.add(connection, of: userID, throttle: Throttle())
    #expect((slot == nil) == (index != nil))
    guard let index else {
      expected.append((userID, [connection]))
      return
    }
    if !expected[index].connections.contains(connection) {
      expected[index].connections.append(connection)
    }
  }

  private mutating func remove(
    _ connection: SessionAddress, _ userID: String, _ index: Int?
  ) {
    let isGone = participants.remove(connection, of: userID)
    guard let index else {
      #expect(!isGone)
      return
    }
    let isThere = expected[index].connections.contains(connection)
    expected[index].connections.removeAll { $0 == connection }
    let isLast = expected[index].connections.isEmpty
    #expect(isGone == (isThere && isLast))
    if isLast { expected.remove(at: index) }
  }

  private func check() {
    #expect(participants.count == expected.count)
    let slots = expected.compactMap { participants.slot(of: $0.userID) }
    #expect(Set(slots).count == expected.count)
    #expect(slots.allSatisfy { $0 < participants.slotCount })
    #expect(Set(participants.userIDs) == Set(expected.map(\.userID)))
    #expect(slots.map { participants[$0]?.connections } == expected.map(\.connections))
    for (shard, count) in participants.connectionCounts.enumerated() {
      let connections = expected.flatMap(\.connections).filter { Int($0.shard) == shard }
      #expect(count == connections.count)
    }
  }
}
