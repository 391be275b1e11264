import FloodControl
import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("The judge: blocks between members")
struct BlockTests {
  private let rig: JudgeRig

  /// A group of `boss` and `ann`.
  init() throws {
    rig = try .group(inviting: ["ann"], asking: [])
    forget()
  }

  private func forget() {
    rig.heard = []
    rig.others = []
    rig.events = []
  }

  /// Changes the log first, as the store does, and then the judge.
  private func block(_ blockerID: String, _ blockedID: String) {
    let block = Block(by: blockerID, of: blockedID)
    rig.contents.add(block)
    rig.handle(.blocked(block))
  }

  private func unblock(_ blockerID: String, _ blockedID: String) {
    let block = Block(by: blockerID, of: blockedID)
    rig.contents.remove(block)
    rig.handle(.unblocked(block))
  }

  @discardableResult
  private func send(_ userID: String) throws -> Message {
    try #require(try rig.perform(.send("x"), by: userID).sent).message
  }

  private func unread() throws -> [Int64] {
    try ["boss", "ann"].map { try rig.own(of: $0).unreadCount }
  }

  @Test("messages of the blocked member look as any other, and are unread for no member")
  func unreadForNone() throws {
    try send("ann")
    block("boss", "ann")
    forget()
    for ordinal in Int64(2)...3 {
      let sent = try send("ann")
      #expect(sent.ordinal == ordinal && !sent.isSilent)
    }
    #expect(
      rig.events.map { $0.params?["message"]?["ordinal"]?.integer } == [2, 3]
        && rig.events.allSatisfy { $0.params?["message"]?["silent"]?.bool == false })
    #expect(try unread() == [1, 0])
    // The block has one direction.
    try send("boss")
    #expect(try unread() == [0, 1])
    unblock("boss", "ann")
    try send("ann")
    #expect(try unread() == [1, 0])
    let before = try unread()
    try rig.restart(users: [])
    #expect(try unread() == before)
  }

  @Test("the blocker's clients are corrected after each event from which they count wrongly")
  func corrections() throws {
    block("boss", "ann")
    let first = try send("ann")
    #expect(rig.heard == ["message.received", "group.unread boss"])
    let notice = try #require(rig.memberNotices.first)
    let own = try rig.own(of: "boss")
    #expect(own.unreadCount == 0 && own.readOrdinal == 0 && notice.except == [])
    let expected = Event.groupUnread(own).notification(
      from: EventOrigin(channelURL: "lobby", timestamp: rig.now))
    #expect(notice.payload == expected)
    forget()
    _ = try rig.perform(.deleteMessage(first.id), by: "ann")
    #expect(rig.heard == ["message.deleted", "group.unread boss"])
    // A client that has read the message does not count it.
    let second = try send("ann")
    _ = try rig.own(.markRead(upTo: nil), by: "boss")
    forget()
    _ = try rig.perform(.deleteMessage(second.id), by: "ann")
    #expect(rig.heard == ["message.deleted"])
  }

  @Test("a message of the blocked member does not show a hidden group again")
  func hidden() throws {
    _ = try rig.own(.hide(clearing: false, isArchived: false), by: "boss")
    block("boss", "ann")
    for _ in 0..<2 {
      forget()
      try send("ann")
      #expect(rig.heard == ["message.received", "group.unread boss"])
      #expect(try rig.own(of: "boss").hiddenState == .hiddenAllowAutoUnhide)
      try rig.restart(users: [])
      #expect(try rig.own(of: "boss").hiddenState == .hiddenAllowAutoUnhide)
    }
    unblock("boss", "ann")
    forget()
    try send("ann")
    #expect(rig.heard == ["message.received", "group.unhidden boss"])
    #expect(try unread() == [1, 0])
  }

  @Test("a block holds for messages that are submitted after it, also by the back end")
  func order() throws {
    let early = rig.begin(.send("x"), by: .participant("ann"))
    block("boss", "ann")
    rig.answerAll()
    #expect(rig.answers[early]?.sent != nil)
    #expect(try unread() == [1, 0])
    _ = try rig.perform(.send("x"), by: .platform(onBehalfOf: User(id: "ann")))
    _ = try rig.importMessage("x", at: rig.now, by: "ann")
    #expect(try unread() == [1, 0])
    _ = try rig.perform(.send("x", type: .admin), by: .platform)
    #expect(try unread() == [2, 1])
  }

  @Test("a group of more or fewer members is unchanged, and one that has two again has the block")
  func otherSizes() throws {
    block("boss", "ann")
    _ = try rig.change(.invite(["ben"]), by: "boss")
    try send("ann")
    #expect(try unread() == [1, 0])
    // A change that is told while the group is larger is read when it has two members.
    block("ann", "boss")
    unblock("boss", "ann")
    _ = try rig.change(.leave, by: "ben")
    try send("boss")
    #expect(try unread() == [0, 0])
    try send("ann")
    #expect(try unread() == [1, 0])
    _ = try rig.change(.leave, by: "ann")
    try send("boss")
    #expect(rig.channel.group?.blockerIDs == [])
  }

  @Test("nothing is counted in an ephemeral group, blocked or not")
  func ephemeral() throws {
    let rig = try JudgeRig.group(ephemeral: true, inviting: ["ann"], asking: [])
    rig.handle(.blocked(Block(by: "boss", of: "ann")))
    rig.heard = []
    #expect(try rig.perform(.send("x"), by: "ann").sent?.message.ordinal == 1)
    #expect(rig.heard == ["message.received"])
  }

  @Test("a user who blocks the inviter is invited like others, and learns nothing of it")
  func invitation() throws {
    block("cat", "boss")
    let invited = try rig.change(.invite(["ben", "cat"]), by: "boss").group
    guard case .invited(let ids, let joined, let skipped)? = invited?.outcome else {
      return #expect(Bool(false))
    }
    #expect(ids == ["cat"] && joined == ["ben"] && skipped == [])
    #expect(invited?.info.channel.group?.memberCount == 4)
    #expect(rig.heard == ["group.invited", "group.joined"] && rig.notices.isEmpty)
    forget()
    _ = try rig.change(.remove(["cat"]), by: "boss")
    #expect(rig.heard == ["group.declined"] && rig.notices.isEmpty)
    unblock("cat", "boss")
    _ = try rig.change(.invite(["cat"]), by: "boss")
    #expect(rig.joinedIDs == ["ann", "ben", "boss", "cat"])
  }

  @Test("only those are notified of a new group who do not block its creator")
  func creation() throws {
    let rig = try JudgeRig.group(inviting: ["ann", "away", "cat"], asking: ["away", "cat"])
    rig.contents.add(Block(by: "cat", of: "boss"))
    rig.others = []
    rig.handle(.created(try rig.stored().members))
    #expect(rig.notices.map(\.userIDs) == [["away"]])
  }

  @Test("judge, log and a model count alike", arguments: UInt64(1)...12)
  func randomly(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let rig = try JudgeRig.group(limit: .off, inviting: ["ann"], asking: [])
    var model = Pair()
    var messages: [Int64] = []
    for _ in 0..<120 {
      rig.now += 5
      let userID = random.oneIn(2) ? "ann" : "boss"
      let other = userID == "ann" ? "boss" : "ann"
      switch Int.random(in: 0..<9, using: &random) {
      case 0..<4:
        messages.append(try #require(try rig.perform(.send("x"), by: userID).sent).message.id)
        model.send(userID)
      case 4:
        let block = Block(by: userID, of: other)
        if model.blocks.remove(userID) == nil {
          model.blocks.insert(userID)
          rig.contents.add(block)
          rig.handle(.blocked(block))
        } else {
          rig.contents.remove(block)
          rig.handle(.unblocked(block))
        }
      case 5 where !messages.isEmpty:
        let index = Int.random(in: messages.indices, using: &random)
        model.messages[index].isDeleted = true
        _ = try rig.perform(.deleteMessage(messages[index]), by: .platform)
      case 6 where !messages.isEmpty:
        let index = Int.random(in: messages.indices, using: &random)
        guard !model.messages[index].isDeleted else { continue }
        _ = try rig.own(.markUnread(from: messages[index]), by: userID)
        model.positions[userID] = index
      case 7:
        _ = try rig.own(.markRead(upTo: nil), by: userID)
        model.positions[userID] = messages.count
      default: try rig.restart(limit: .off, users: [])
      }
      for userID in ["ann", "boss"] {
        #expect(try rig.own(of: userID).unreadCount == model.unread(userID))
      }
    }
  }
}

/// What two members of a group count.
private struct Pair {
  struct Sent {
    let author: String
    let isIgnored: Bool
    var isDeleted = false
  }

  var blocks: Set<String> = []
  var messages: [Sent] = []
  /// The number of messages that each member has read.
  var positions: [String: Int] = [:]

  mutating func send(_ author: String) {
    messages.append(Sent(author: author, isIgnored: !blocks.subtracting([author]).isEmpty))
    positions[author] = messages.count
  }

  func unread(_ userID: String) -> Int64 {
    let later = messages.dropFirst(positions[userID] ?? 0)
    return Int64(later.count { $0.author != userID && !$0.isIgnored && !$0.isDeleted })
  }
}
