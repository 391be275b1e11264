import ParleyProtocol
import Testing

@testable import Channels

@Suite("The table of a group's members")
struct MemberTableTests {
  private var random = SystemRandomNumberGenerator()

  /// A member with random values, many of them at their defaults.
  private mutating func member(_ id: String) -> Member {
    func number(_ range: ClosedRange<Int64>) -> Int64 {
      Bool.random(using: &random) ? 0 : Int64.random(in: range, using: &random)
    }
    let joinedAt = number(1...1_900_000_000_000)
    var member = Member(
      user: User(id: id), state: Bool.random(using: &random) ? .joined : .invited,
      joinedAt: joinedAt)
    if Bool.random(using: &random) {
      member.inviterID = "i\(Int.random(in: 0..<90, using: &random))"
    }
    member.invitedAt = Bool.random(using: &random) ? joinedAt : number(1...1_900_000_000_000)
    member.visibleFrom = Bool.random(using: &random) ? joinedAt : number(1...1_900_000_000_000)
    member.position = ReadPosition(
      ordinal: number(0...300), readAt: number(-1...1_900_000_000_000), floor: number(0...40_000),
      ownAfter: number(0...3))
    member.hiding =
      [.unhidden, .archived, .untilMessage(after: number(0...500))]
      .randomElement(using: &random) ?? .unhidden
    member.countPreference = CountPreference.allCases.randomElement(using: &random) ?? .all
    member.pushTrigger = ChannelPushTriggerOption.allCases.randomElement(using: &random) ?? .all
    return member
  }

  @Test("members are kept as they were put, through any changes")
  mutating func likeADictionary() {
    var (table, expected) = (MemberTable(), [String: Member]())
    for step in 0..<6_000 {
      let id = "user-\(Int.random(in: 0..<400, using: &random))"
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<4:
        let member = member(id)
        #expect(table.put(member) == expected[id]?.state)
        expected[id] = member
      case 4:
        table.update(id) { $0.position.advance(to: Int64(step), at: 5) }
        expected[id]?.position.advance(to: Int64(step), at: 5)
      case 5..<7: #expect(table.remove(id) == expected.removeValue(forKey: id)?.state)
      default:
        #expect(table[id] == expected[id] && table.state(of: id) == expected[id]?.state)
      }
      #expect(table.count == expected.count)
    }
    for (id, member) in expected { #expect(table[id] == member) }
    #expect(pieces(of: table, 7) == expected.mapValues(\.state))
    #expect(pieces(of: table, 1_000) == expected.mapValues(\.state))
    for id in expected.keys { _ = table.remove(id) }
    #expect(table.count == 0 && table["user-1"] == nil && pieces(of: table, 3).isEmpty)
  }

  /// All members, read a few at a time.
  private func pieces(of table: MemberTable, _ size: Int) -> [String: MemberState] {
    var found: [String: MemberState] = [:]
    var place: Int? = 0
    while let start = place {
      var count = 0
      place = table.forEach(from: start) { id, state in
        #expect(found.updateValue(state, forKey: id) == nil)
        count += 1
        return count < size
      }
    }
    return found
  }

  @Test("ids are compared as bytes, and may be long")
  func ids() {
    var table = MemberTable()
    let ids = ["caf\u{E9}", "cafe\u{301}", String(repeating: "\u{10FFFF}", count: 80), "a", ""]
    for (number, id) in ids.enumerated() {
      table.put(Member(user: User(id: id), state: .joined, joinedAt: Int64(number)))
    }
    #expect(table.count == 5)
    for (number, id) in ids.enumerated() { #expect(table[id]?.joinedAt == Int64(number)) }
    #expect(table.remove(ids[0]) == .joined && table[ids[1]] != nil)
  }

  @Test("every value of a member is kept")
  func complete() {
    var member = Member(
      user: User(id: "ann"), state: .joined, inviterID: "ben", invitedAt: 1, joinedAt: 2,
      visibleFrom: 3, position: ReadPosition(ordinal: 4, readAt: 5, floor: 6, ownAfter: 7),
      hiding: .untilMessage(after: 8), countPreference: .off, blocksInviter: true)
    member.hidesReads = true
    member.deliveredAt = 9
    member.pushTrigger = .off
    // A value that is new must be written too, and stand above. The user's last connection is not kept.
    #expect(Mirror(reflecting: member).children.count == 14)
    #expect(Mirror(reflecting: member.position).children.count == 4)
    var table = MemberTable()
    table.put(member)
    #expect(table["ann"] == member)
  }

  @Test("ten thousand members who have read take at most 400 KiB")
  func memory() {
    let members = (0..<10_000).map { number in
      let time = 1_800_000_000_000 + Int64(number)
      return Member(
        user: User(id: "user-\(number)", nickname: "Nick"), state: .joined, inviterID: "user-0",
        invitedAt: time, joinedAt: time, visibleFrom: time,
        position: ReadPosition(ordinal: Int64(number), readAt: time + 9, floor: Int64(number / 2)))
    }
    let group = Members(members, lastOrdinal: 10_000)
    #expect(group.count == 10_000 && group.joinedCount == 10_000)
    #expect(group.byteCount <= 409_600, "\(group.byteCount)")
    #expect(Members(Array(members.prefix(3))).byteCount < 512)
  }
}
