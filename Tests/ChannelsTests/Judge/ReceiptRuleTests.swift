import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("The judge: read receipts of a group")
struct ReceiptRuleTests {
  private let rig: JudgeRig

  init() throws {
    rig = try .group()
    (rig.heard, rig.others) = ([], [])
  }

  /// Sends messages, a millisecond after each other, and returns them.
  private func send(_ authors: String...) throws -> [Message] {
    try authors.map { author in
      rig.now += 1
      return try #require(try rig.perform(.send("x"), by: author).sent).message
    }
  }

  /// The events: for each its reads.
  private var reads: [[Event.Read]] {
    rig.others.compactMap {
      guard case .notifyMembers(let notice) = $0,
        let root = try? JSONDocument(notice.payload).root, let params = root["params"],
        case .groupRead(let reads)? = try? Event(.groupRead, params: params),
        root["method"]?.string == "group.read"
      else { return nil }
      return reads.reads
    }
  }

  private func receipts(_ rig: JudgeRig, by userID: String) throws -> [String: Int64]? {
    guard case .success(.receipts(let receipts)) = try rig.perform(.group(.receipts), by: userID)
    else { return nil }
    return receipts.read
  }

  private func wake() throws {
    rig.now = try #require(rig.wakeTime)
    rig.handle(.deadline)
  }

  @Test("the first read is sent at once, and those of the next second together")
  func gathered() throws {
    let messages = try send("ann", "ann", "ann")
    _ = try rig.own(.markRead(upTo: messages[0].id), by: "ben")
    #expect(
      reads == [[.init(by: "ben", readAt: messages[0].createdAt, messageID: messages[0].id)]])
    #expect(rig.heard.suffix(2) == ["group.unread ben", "group.read"])
    rig.others = []
    rig.now += 10
    _ = try rig.own(.markRead(upTo: messages[1].id), by: "ben")
    _ = try rig.own(.markRead(upTo: nil), by: "boss")
    _ = try rig.own(.markRead(upTo: messages[2].id), by: "ben")
    #expect(reads.isEmpty && rig.wakeTime == rig.now + 990)
    try wake()
    let last = messages[2]
    #expect(
      reads == [
        [
          .init(by: "ben", readAt: last.createdAt, messageID: last.id),
          .init(by: "boss", readAt: last.createdAt),
        ]
      ])
    #expect(rig.isIdle)
  }

  @Test("only a position that rises is sent: no repetition, no message and no lower position")
  func rises() throws {
    let messages = try send("ann", "ann")
    for change in [
      OwnChange.markUnread(from: messages[0].id), .hide(clearing: false, isArchived: true),
      .prefer(.off), .unhide, .resetHistory,
    ] {
      _ = try rig.own(change, by: "ben")
    }
    _ = try send("boss")
    #expect(reads.isEmpty)
    _ = try rig.own(.markReadUntil(rig.now), by: "ben")
    rig.now += 2_000
    _ = try rig.own(.markRead(upTo: nil), by: "ben")
    rig.now += 2_000
    rig.handle(.deadline)
    #expect(reads.count == 1 && reads.first?.first?.messageID == nil)
  }

  @Test("the answer has all joined members, also those that have read nothing")
  func answer() throws {
    let messages = try send("ann", "boss")
    _ = try rig.own(.markRead(upTo: messages[0].id), by: "ben")
    let times = try receipts(rig, by: "ben")
    #expect(
      times == [
        "ann": messages[0].createdAt, "ben": messages[0].createdAt, "boss": messages[1].createdAt,
      ])
    #expect(try rig.perform(.group(.receipts), by: "cat").code == .notAllowed)
    #expect(try rig.perform(.group(.receipts), by: "away").code == .notFound)
    let open = try JudgeRig.group(isPublic: true)
    #expect(try open.perform(.group(.receipts), by: "away").code == .notAllowed)
    #expect(try receipts(open, by: "ann") == ["ann": 0, "ben": 0, "boss": 0])
  }

  @Test("members in an answer show how far they have read, if they have joined")
  func members() throws {
    let message = try #require(try send("ann").first)
    _ = try rig.own(.markRead(upTo: nil), by: "ben")
    let view = try #require(try rig.perform(.viewGroup, by: "boss").group)
    let times = Dictionary(
      uniqueKeysWithValues: (view.members ?? []).map { ($0.member.user.id, $0.readAt) })
    #expect(times == ["ann": message.createdAt, "ben": message.createdAt, "boss": 0, "cat": nil])
  }

  @Test("a group with more members than the limit has none")
  func large() throws {
    var rules = GroupRules()
    rules.receiptMemberLimit = 3
    let rig = try JudgeRig.group(rules: rules)
    _ = try rig.perform(.send("x"), by: "ann")
    _ = try rig.own(.markRead(upTo: nil), by: "ben")
    #expect(try rig.perform(.group(.receipts), by: "ann").error == .noReceipts("lobby", limit: 3))
    let view = try #require(try rig.perform(.viewGroup, by: "boss").group)
    #expect(view.members?.count == 4 && view.members?.allSatisfy { $0.readAt == nil } == true)
    // The invited user declines, so that there are three.
    _ = try rig.change(.decline, by: "cat")
    #expect(try receipts(rig, by: "ann")?.count == 3)
    #expect(!rig.heard.contains("group.read"))
    _ = try rig.perform(.send("y"), by: "ann")
    _ = try rig.own(.markRead(upTo: nil), by: "ben")
    #expect(rig.heard.last == "group.read")
  }

  @Test("a member that has left meanwhile is left out")
  func leaves() throws {
    _ = try send("ann")
    _ = try rig.own(.markRead(upTo: nil), by: "boss")
    _ = try rig.own(.markRead(upTo: nil), by: "ben")
    rig.others = []
    _ = try rig.change(.leave, by: "ben")
    try wake()
    #expect(reads.isEmpty && rig.isIdle)
  }

  @Test(
    "the events and the answer agree with the log, at most one event a second", arguments: 1...20)
  func agrees(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let users = ["ann", "ben", "boss"]
    var ids: [Int64] = []
    var known: [String: Int64] = [:]
    var last = Int64.min
    func take() {
      for event in reads {
        #expect(rig.now >= last + 1_000)
        last = rig.now
        #expect(Set(event.map(\.userID)).count == event.count)
        for read in event { known[read.userID] = max(known[read.userID] ?? 0, read.readAt) }
      }
      rig.others = []
    }
    last = rig.now - 1_000
    for _ in 0..<60 {
      rig.now += Int64.random(in: 1...700, using: &random)
      rig.handle(.deadline)
      take()
      let user = users.randomElement(using: &random) ?? "ann"
      if Int.random(in: 0..<3, using: &random) == 0 || ids.isEmpty {
        let message = try #require(try rig.perform(.send("x"), by: user).sent).message
        ids.append(message.id)
        // A client knows from a message that its author has read it.
        known[user] = message.createdAt
      } else {
        _ = try rig.own(.markRead(upTo: ids.randomElement(using: &random)), by: user)
      }
      take()
    }
    rig.now += 1_000
    rig.handle(.deadline)
    take()
    let times = try receipts(rig, by: "ann")
    #expect(times?.filter { $0.value > 0 } == known)
    for member in try rig.stored().members where member.state == .joined {
      #expect(times?[member.user.id] == member.position.readAt)
    }
  }

  @Test("a member who keeps its reads to itself sends none and sees none")
  func privateReads() throws {
    var rules = GroupRules()
    rules.allowsPrivateReads = true
    let rig = try JudgeRig.group(asking: [], rules: rules)
    rig.contents.setHidesReads(true, userID: "ben")
    rig.handle(.readPrivacyChanged(userID: "ben", hidesReads: true))
    let message = try #require(try rig.perform(.send("x"), by: "boss").sent).message
    for userID in ["ann", "ben"] {
      _ = try rig.own(.markRead(upTo: message.id), by: userID)
      rig.now += 2_000
      rig.handle(.deadline)
    }
    let notices = rig.others.compactMap {
      if case .notifyMembers(let notice) = $0 { notice } else { nil }
    }
    #expect(notices.count == 1 && notices.first?.exceptIDs == ["ben"])
    let seen = try receipts(rig, by: "ann")
    #expect(seen?["ann"] == message.createdAt && seen?["ben"] == 0)
    #expect(try receipts(rig, by: "ben")?.values.allSatisfy { $0 == 0 } == true)
    func shown(to userID: String) throws -> [String: Int64?] {
      let answer = try #require(try rig.perform(.viewGroup, by: userID).group)
      return Dictionary(
        (answer.members ?? []).map { ($0.member.user.id, $0.readAt) }
      ) { first, _ in first }
    }
    #expect(try shown(to: "ann")["ben"] == .some(nil))
    #expect(try shown(to: "ann")["ann"] == .some(message.createdAt))
    #expect(try shown(to: "ben").values.allSatisfy { $0 == nil })
    #expect(try rig.own(of: "ben").unreadCount == 0)
    // The choice holds for groups that the user joins later, and after a restart.
    _ = try rig.change(.leave, by: "ben")
    _ = try rig.change(.invite(["ben"]), by: "boss")
    #expect(try shown(to: "ann")["ben"] == .some(nil))
    rig.contents.setHidesReads(false, userID: "ben")
    rig.handle(.readPrivacyChanged(userID: "ben", hidesReads: false))
    #expect(try shown(to: "ann")["ben"] == .some(0))
  }

  @Test("the choice has no effect where private reads are not permitted")
  func publicReads() throws {
    rig.handle(.readPrivacyChanged(userID: "ben", hidesReads: true))
    let message = try #require(try send("boss").first)
    _ = try rig.own(.markRead(upTo: message.id), by: "ben")
    #expect(reads.last?.map(\.userID) == ["ben"])
    #expect(try receipts(rig, by: "ben")?["ben"] == message.createdAt)
  }
}
