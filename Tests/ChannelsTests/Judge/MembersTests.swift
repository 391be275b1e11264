import ParleyProtocol
import Testing

@testable import Channels

@Suite("Members and what they have not read")
struct MembersTests {
  private func member(
    _ id: String, _ position: ReadPosition = ReadPosition(), state: MemberState = .joined,
    hiding: Hiding = .unhidden
  ) -> Member {
    Member(user: User(id: id), state: state, position: position, hiding: hiding)
  }

  @Test(
    "unread messages are those after the position, the history's beginning and the expired ones",
    arguments: [
      (ReadPosition(), 10), (ReadPosition(ordinal: 4), 6), (ReadPosition(ordinal: 10), 0),
      (ReadPosition(ordinal: 4, floor: 7), 3), (ReadPosition(ordinal: 7, floor: 4), 3),
      (ReadPosition(ordinal: 4, ownAfter: 2), 4), (ReadPosition(ordinal: 9, ownAfter: 1), 0),
    ] as [(ReadPosition, Int64)])
  func counts(position: ReadPosition, expected: Int64) {
    let member = member("ann", position)
    var members = Members([member])
    #expect(members.unreadCount(of: member, last: 10) == expected)
    members.raiseFloor(to: 2)
    #expect(members.unreadCount(of: member, last: 10) == min(expected, 8))
    members.raiseFloor(to: 1)
    #expect(members.unreadCount(of: member, last: 10) == min(expected, 8))
    let invited = self.member("ben", position, state: .invited)
    #expect(members.unreadCount(of: invited, last: 10) == 0)
  }

  @Test("deleted messages are unread for no one, and own ones are counted once")
  func deletions() throws {
    var members = Members(
      [member("ann", ReadPosition(ordinal: 2, floor: 1, ownAfter: 2)), member("ben")],
      uncounted: OrdinalSet(ascending: [1, 3]))
    func unread() throws -> [Int64] {
      try ["ann", "ben"].map { members.unreadCount(of: try #require(members[$0]), last: 9) }
    }
    #expect(try unread() == [4, 7])
    members.uncount(5, by: "ann", seq: 20)
    #expect(try unread() == [4, 6] && members["ann"]?.position.ownAfter == 1)
    members.uncount(6, by: "ben", seq: 21)
    members.uncount(2, by: "ann", seq: 22)
    members.uncount(7, by: "away", seq: 23)
    members.uncount(8, by: nil, seq: 24)
    #expect(try unread() == [1, 2] && members["ann"]?.position.ownAfter == 1)
  }

  @Test("sending moves the position of joined members, importing counts as their own")
  func sending() throws {
    var members = Members([
      member("ann", ReadPosition(ordinal: 1, readAt: 10, floor: 1, ownAfter: 3)),
      member("cat", state: .invited),
    ])
    members.countOwn("ann", seq: 20)
    #expect(members["ann"]?.position.ownAfter == 4)
    let hasRead = members.advance("ann", to: 9, at: 90, seq: 21)
    #expect(hasRead && members["ann"]?.position == ReadPosition(ordinal: 9, readAt: 90, floor: 1))
    for id in ["cat", "away"] {
      let hasRead = members.advance(id, to: 9, at: 90, seq: 22)
      members.countOwn(id, seq: 22)
      #expect(!hasRead)
    }
    #expect(members["cat"]?.position == ReadPosition() && members["away"] == nil)
  }

  @Test("sending reads the messages before, of others only, and only those that count")
  func readingBySending() {
    var members = Members([member("ann", ReadPosition(ordinal: 5, readAt: 50))])
    func hasRead(to ordinal: Int64) -> Bool {
      members.advance("ann", to: ordinal, at: ordinal * 10, seq: 20 + ordinal)
    }
    #expect(!hasRead(to: 6) && hasRead(to: 8) && !hasRead(to: 9))
    members.countOwn("ann", seq: 30)
    #expect(!hasRead(to: 11))
    members.uncount(12, by: "ben", seq: 32)
    #expect(!hasRead(to: 13) && hasRead(to: 15))
    members.raiseFloor(to: 17)
    #expect(!hasRead(to: 18) && hasRead(to: 20))
  }

  @Test("what was read later than an event does not change with it")
  func readLater() {
    let later = member("ann", ReadPosition(ordinal: 3, readAt: 30, ownAfter: 2))
    var members = Members([member("ann"), member("ben", ReadPosition(ownAfter: 1))])
    members.put(later, readAfter: 20)
    let hasRead = members.advance("ann", to: 2, at: 20, seq: 18)
    #expect(!hasRead)
    members.countOwn("ann", seq: 19)
    members.uncount(5, by: "ann", seq: 20)
    #expect(members["ann"] == later && members.unreadCount(of: later, last: 9) == 3)
    members.uncount(1, by: "ben", seq: 20)
    #expect(members["ben"]?.position.ownAfter == 0)
    members.uncount(6, by: "ann", seq: 21)
    #expect(members["ann"]?.position.ownAfter == 1)
    // A change that the log has answered is in the order of the events.
    members.put(later)
    members.uncount(7, by: "ann", seq: 20)
    #expect(members["ann"]?.position.ownAfter == 1)
  }

  @Test("a message ends the hiding of members once, except that of archived groups")
  func hiding() {
    var members = Members(
      [
        member("ben", hiding: .untilMessage(after: 5)),
        member("ann", hiding: .untilMessage(after: 5)),
        member("boss", hiding: .archived), member("cat", hiding: .untilMessage(after: 4)),
      ], lastOrdinal: 5)
    // The message that ended this one was there before.
    #expect(members["cat"]?.hiding == .unhidden)
    #expect(members.unhide(atMessage: 5) == [] && members.awaitingIDs == ["ann", "ben"])
    #expect(members.unhide(atMessage: 6) == ["ann", "ben"] && members.awaitingIDs.isEmpty)
    #expect(members["ann"]?.hiding == .unhidden && members["boss"]?.hiding == .archived)
    #expect(members.unhide(atMessage: 7) == [])
    members.put(member("ann", hiding: .untilMessage(after: 7)))
    members.put(member("ann", hiding: .archived))
    members.put(member("ben", hiding: .untilMessage(after: 7)))
    members.remove("ben")
    #expect(members.awaitingIDs.isEmpty && members.unhide(atMessage: 8) == [])
  }
}
