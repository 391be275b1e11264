import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: counts of a group")
struct GroupTallyTests {
  private let rig: JudgeRig

  init() throws { rig = try .group(asking: ["cat", "away"]) }

  private func tally(_ body: (inout GroupTally) -> Void) -> GroupTally {
    var tally = GroupTally()
    body(&tally)
    return tally
  }

  /// The counts of what a body does; `nil` if there are none.
  private func counts(_ rig: JudgeRig, of body: () throws -> Void) rethrows -> GroupTally? {
    rig.groupTally = nil
    try body()
    return rig.groupTally
  }

  private func counts(of change: MembershipChange, by userID: String) throws -> GroupTally? {
    try counts(rig) { _ = try rig.change(change, by: userID) }
  }

  @Test("users who are added are counted by what becomes of their invitation")
  func invitations() throws {
    rig.contents.set(User(id: "dee"))
    #expect(
      try counts(of: .invite(["dee", "away", "ann"]), by: "boss")
        == tally { ($0.invitations.joined, $0.invitations.invited) = (1, 1) })
    #expect(try counts(of: .accept, by: "cat") == tally { $0.invitations.accepted = 1 })
    #expect(try counts(of: .decline, by: "away") == tally { $0.invitations.declined = 1 })
    _ = try rig.change(.invite(["away"]), by: "boss")
    #expect(
      try counts(of: .remove(["away", "dee"]), by: "boss")
        == tally { $0.invitations.withdrawn = 1 })
    #expect(try counts(of: .leave, by: "ann") == nil)
  }

  @Test("users who join a public group by themselves are not counted, unless they were invited")
  func joining() throws {
    let rig = try JudgeRig.group(isPublic: true)
    func join(_ userID: String) throws -> GroupTally? {
      try counts(rig) { _ = try rig.change(.join(accessCode: ""), by: userID) }
    }
    #expect(try join("away") == nil)
    #expect(try join("cat") == tally { $0.invitations.accepted = 1 })
  }

  @Test("reads are counted by whether the position moves, and when the others learn of them")
  func reads() throws {
    let messages = try (0..<3).map { _ in
      rig.now += 1
      return try #require(try rig.perform(.send("x"), by: "ann").sent).message
    }
    func read(_ id: Int64?, by userID: String) throws -> GroupTally? {
      try counts(rig) { _ = try rig.own(.markRead(upTo: id), by: userID) }
    }
    #expect(
      try read(messages[1].id, by: "ben") == tally { ($0.reads.moved, $0.receipts) = (1, 1) })
    #expect(try read(messages[0].id, by: "ben") == tally { $0.reads.same = 1 })
    _ = try read(nil, by: "boss")
    #expect(try read(nil, by: "ben") == tally { $0.reads.moved = 1 })
    rig.now = try #require(rig.wakeTime)
    #expect(counts(rig) { rig.handle(.deadline) } == tally { $0.receipts = 2 })
    #expect(
      try counts(rig) { _ = try rig.own(.hide(clearing: false, isArchived: false), by: "ben") }
        == nil)
  }

  @Test("calls about typing are counted by their effect")
  func typing() throws {
    func type(_ isTyping: Bool, by userID: String) throws -> GroupTally.Typing? {
      try counts(rig) { _ = try rig.perform(.group(.typing(isTyping)), by: userID) }?.typing
    }
    #expect(try type(true, by: "ann") == tally { $0.typing.started = 1 }.typing)
    #expect(try type(true, by: "ann") == tally { $0.typing.extended = 1 }.typing)
    #expect(try type(false, by: "ann") == tally { $0.typing.stopped = 1 }.typing)
    #expect(try type(false, by: "ben") == tally { $0.typing.ignored = 1 }.typing)
    // An invited member may not send.
    #expect(try type(true, by: "cat") == tally { $0.typing.ignored = 1 }.typing)
    #expect(try type(true, by: "away") == nil)
  }

  @Test("messages are counted with those of open channels")
  func messages() throws {
    #expect(try counts(rig) { _ = try rig.perform(.send("x"), by: "ann") } == nil)
    #expect(rig.tally.accepted == 1)
  }
}
