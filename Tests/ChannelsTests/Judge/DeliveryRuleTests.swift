import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("The judge: delivery receipts of a group")
struct DeliveryRuleTests {
  private static let rules: GroupRules = {
    var rules = GroupRules()
    rules.hasDeliveries = true
    return rules
  }()

  private let rig: JudgeRig

  init() throws {
    rig = try .group(rules: Self.rules)
    (rig.heard, rig.others) = ([], [])
  }

  /// Sends messages by `boss`, a millisecond after each other, and returns them.
  private func send(_ count: Int) throws -> [Message] {
    try (0..<count).map { _ in
      rig.now += 1
      return try #require(try rig.perform(.send("x"), by: "boss").sent).message
    }
  }

  private func deliver(_ message: Message, to userID: String) throws {
    #expect(try rig.perform(.deliver(message.id), by: userID).isDone)
  }

  private func receipts(_ userID: String = "ann") throws -> GroupReceipts {
    guard case .success(.receipts(let receipts)) = try rig.perform(.group(.receipts), by: userID)
    else { throw NoReceipts() }
    return receipts
  }

  private struct NoReceipts: Error {}

  /// The events: for each its positions.
  private var events: [[Event.Read]] {
    rig.others.compactMap {
      guard case .notifyMembers(let notice) = $0,
        let root = try? JSONDocument(notice.payload).root, let params = root["params"],
        root["method"]?.string == "group.delivered",
        case .groupDelivered(let reads)? = try? Event(.groupDelivered, params: params)
      else { return nil }
      return reads.reads
    }
  }

  /// The positions that the log has, without those at 0.
  private func stored() throws -> [String: Int64] {
    try rig.stored().members.reduce(into: [:]) { times, member in
      if member.deliveredAt > 0 { times[member.user.id] = member.deliveredAt }
    }
  }

  private func pass(_ milliseconds: Int64) {
    rig.now += milliseconds
    rig.handle(.deadline)
  }

  @Test("the first one is sent at once, and those of the next second together, of each the newest")
  func gathered() throws {
    let messages = try send(3)
    try deliver(messages[0], to: "ben")
    #expect(
      events == [[.init(by: "ben", readAt: messages[0].createdAt, messageID: messages[0].id)]])
    rig.others = []
    rig.now += 10
    try deliver(messages[1], to: "ben")
    try deliver(messages[2], to: "ben")
    try deliver(messages[2], to: "ann")
    #expect(events.isEmpty && rig.wakeTime == rig.now + 990)
    pass(990)
    let last = messages[2]
    #expect(
      events == [
        ["ann", "ben"].map { .init(by: $0, readAt: last.createdAt, messageID: last.id) }
      ])
  }

  @Test("a position only rises, and a message is looked up once for all members")
  func rises() throws {
    let messages = try send(2)
    rig.begin(.deliver(messages[1].id), by: .participant("ann"))
    rig.begin(.deliver(messages[1].id), by: .participant("ben"))
    #expect(rig.requests.count == 1)
    rig.answerAll()
    rig.begin(.deliver(messages[1].id), by: .participant("boss"))
    #expect(rig.requests.isEmpty)
    rig.others = []
    try deliver(messages[0], to: "ben")
    pass(2_000)
    #expect(events.isEmpty)
    #expect(try receipts().delivered["ben"] == messages[1].createdAt)
  }

  @Test("the log has positions at most five seconds later, all of that time in one write")
  func stores() throws {
    let messages = try send(2)
    try deliver(messages[0], to: "ben")
    let first = rig.now
    pass(3_000)
    try deliver(messages[1], to: "ann")
    #expect(try stored().isEmpty && rig.hasNotices && rig.wakeTime == first + 5_000)
    pass(2_000)
    #expect(rig.requests.count == 1 && !rig.isIdle)
    // Marks of another member during the write are not lost.
    rig.begin(.deliver(messages[1].id), by: .participant("ben"))
    rig.answerAll()
    #expect(
      try stored() == ["ann": messages[1].createdAt, "ben": messages[0].createdAt])
    pass(5_000)
    rig.answerAll()
    #expect(try stored()["ben"] == messages[1].createdAt)
    #expect(rig.isIdle && !rig.hasNotices)
  }

  @Test("a restart brings positions that were stored, and none that is newer")
  func restarts() throws {
    let messages = try send(2)
    try deliver(messages[0], to: "ben")
    pass(5_000)
    rig.answerAll()
    try deliver(messages[1], to: "ben")
    #expect(try receipts().delivered["ben"] == messages[1].createdAt)
    try rig.restart(users: [], rules: Self.rules)
    #expect(try receipts().delivered["ben"] == messages[0].createdAt)
  }

  @Test("a server that stops, or gives the group away, stores positions at once")
  func ends() throws {
    for end in [WaitingEnd.drain, .move] {
      let message = try #require(try send(1).first)
      try deliver(message, to: "ben")
      rig.handle(.endWaiting(end))
      rig.answerAll()
      #expect(try stored()["ben"] == message.createdAt)
      pass(5_000)
    }
  }

  @Test("positions that the log has refused are stored later")
  func fails() throws {
    let messages = try send(2)
    try deliver(messages[0], to: "ben")
    pass(5_000)
    rig.failNext(.unknown("gone"))
    #expect(rig.requests.isEmpty && rig.hasNotices && rig.isIdle)
    try deliver(messages[1], to: "ben")
    pass(5_000)
    rig.answerAll()
    #expect(try stored() == ["ben": messages[1].createdAt])
  }

  @Test("reading counts as delivered, and stays so when the message is marked as unread")
  func reading() throws {
    let messages = try send(3)
    try deliver(messages[0], to: "ben")
    rig.now += 2_000
    rig.others = []
    _ = try rig.own(.markRead(upTo: messages[1].id), by: "ben")
    #expect(
      events == [[.init(by: "ben", readAt: messages[1].createdAt, messageID: messages[1].id)]])
    #expect(try receipts().delivered["ben"] == messages[1].createdAt)
    // What is delivered already is not sent again.
    rig.now += 2_000
    rig.others = []
    try deliver(messages[2], to: "ben")
    _ = try rig.own(.markRead(upTo: nil), by: "ben")
    pass(2_000)
    #expect(events.count == 1)
    _ = try rig.own(.markUnread(from: messages[0].id), by: "ben")
    #expect(try receipts().delivered["ben"] == messages[2].createdAt)
    try rig.restart(users: [], rules: Self.rules)
    #expect(try receipts().delivered["ben"] == messages[2].createdAt)
    #expect(try receipts().read["ben"] ?? 0 < messages[0].createdAt)
  }

  @Test("the reads of a member who keeps them to itself do not count, and what it receives does")
  func privateReads() throws {
    var rules = Self.rules
    rules.allowsPrivateReads = true
    let rig = try JudgeRig.group(asking: [], rules: rules)
    rig.contents.setHidesReads(true, userID: "ben")
    rig.handle(.readPrivacyChanged(userID: "ben", hidesReads: true))
    let first = try #require(try rig.perform(.send("x"), by: "boss").sent).message
    rig.now += 1
    let second = try #require(try rig.perform(.send("y"), by: "boss").sent).message
    func delivered(to userID: String) throws -> [String: Int64] {
      guard case .success(.receipts(let all)) = try rig.perform(.group(.receipts), by: userID)
      else { return [:] }
      return all.delivered
    }
    _ = try rig.own(.markRead(upTo: second.id), by: "ben")
    _ = try rig.own(.markUnread(from: first.id), by: "ben")
    _ = try rig.own(.markRead(upTo: second.id), by: "ben")
    rig.now += 2_000
    rig.handle(.deadline)
    #expect(!rig.heard.contains("group.delivered"))
    #expect(try delivered(to: "ann")["ben"] == 0)
    #expect(try rig.perform(.deliver(first.id), by: "ben").isDone)
    #expect(rig.heard.last == "group.delivered")
    #expect(try delivered(to: "ann")["ben"] == first.createdAt)
    #expect(try delivered(to: "ben")["boss"] == second.createdAt)
  }

  @Test("members in an answer show what was delivered to them, stored or not")
  func members() throws {
    let messages = try send(2)
    try deliver(messages[1], to: "ben")
    func shown() throws -> [String: Int64?] {
      let view = try #require(try rig.perform(.viewGroup, by: "boss").group)
      return Dictionary(
        (view.members ?? []).map { ($0.member.user.id, $0.deliveredAt) }
      ) { first, _ in first }
    }
    let expected: [String: Int64?] = [
      "ann": 0, "ben": messages[1].createdAt, "boss": messages[1].createdAt, "cat": nil,
    ]
    #expect(try shown() == expected)
    pass(5_000)
    rig.answerAll()
    #expect(try shown() == expected)
  }

  @Test("a deleted message counts, one that the member does not see or that never was does not")
  func messages() throws {
    let messages = try send(2)
    _ = try rig.perform(.deleteMessage(messages[1].id), by: "boss")
    try deliver(messages[1], to: "ben")
    _ = try rig.own(.resetHistory, by: "ann")
    for id in [messages[0].id, 1, .max] {
      #expect(try rig.perform(.deliver(id), by: "ann").error == .notFound(messageID: id))
    }
  }

  @Test("only joined members mark, and only groups with receipts have any")
  func refusals() throws {
    let message = try #require(try send(1).first)
    let mark = ChannelCommand.deliver(message.id)
    #expect(try rig.perform(mark, by: "cat").error == .notJoined("lobby"))
    #expect(try rig.perform(mark, by: "away").error == .notFound(.channel, "lobby"))
    let call = rig.begin(.deliver(message.id), by: .participant("ben"))
    rig.begin(.change(.leave), by: .participant("ben"))
    rig.requests.swapAt(0, 1)
    rig.answerAll()
    #expect(rig.answers[call]?.error == .notJoined("lobby"))
    var small = Self.rules
    small.receiptMemberLimit = 3
    let refused = try [
      JudgeRig.group(), .group(isSuper: true, rules: Self.rules), .group(rules: small),
    ]
    for rig in refused {
      #expect(try rig.perform(mark, by: "ann").error == .noDeliveryReceipts("lobby"))
      #expect(rig.requests.isEmpty && !rig.hasNotices)
    }
    guard case .success(.receipts(let off)) = try refused[0].perform(.group(.receipts), by: "ann")
    else { return #expect(Bool(false)) }
    #expect(off.delivered.isEmpty && off.read.count == 3)
    let ephemeral = try JudgeRig.group(ephemeral: true, rules: Self.rules)
    #expect(try ephemeral.perform(mark, by: "ann").error == .notKept(inEphemeralChannel: "lobby"))
  }

  @Test("a member that has left meanwhile is left out, and begins again when it returns")
  func leaves() throws {
    let messages = try send(2)
    try deliver(messages[0], to: "ann")
    try deliver(messages[1], to: "ben")
    rig.others = []
    _ = try rig.change(.leave, by: "ben")
    pass(1_000)
    #expect(events.isEmpty)
    _ = try rig.change(.invite(["ben"]), by: "boss")
    #expect(try receipts().delivered["ben"] == 0)
    pass(5_000)
    rig.answerAll()
    #expect(try stored() == ["ann": messages[0].createdAt])
  }

  @Test("the calls are counted by what they changed, and the positions that were sent")
  func counts() throws {
    let messages = try send(2)
    func counted(_ body: () throws -> Void) rethrows -> GroupTally? {
      rig.groupTally = nil
      try body()
      return rig.groupTally
    }
    let moved = try counted { try deliver(messages[1], to: "ben") }
    #expect(moved?.deliveries.moved == 1 && moved?.deliveryReceipts == 1)
    let same = try counted { try deliver(messages[0], to: "ben") }
    #expect(same?.deliveries.same == 1 && same?.deliveryReceipts == 0)
  }

  @Test("the events, the answer and the log agree in the end", arguments: 1...20)
  func agrees(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var messages: [Message] = []
    var known: [String: Int64] = [:]
    var last = rig.now - 1_000
    func take() {
      for event in events {
        #expect(rig.now >= last + 1_000)
        last = rig.now
        #expect(Set(event.map(\.userID)).count == event.count && event.count <= 100)
        for move in event {
          #expect(move.readAt > known[move.userID] ?? 0)
          known[move.userID] = move.readAt
        }
      }
      rig.others = []
    }
    for _ in 0..<80 {
      pass(Int64.random(in: 1...900, using: &random))
      if Int.random(in: 0..<4, using: &random) > 0 { rig.answerAll() }
      take()
      let user = Bool.random(using: &random) ? "ann" : "ben"
      switch Int.random(in: 0..<4, using: &random) {
      case 0: messages += try send(1)
      case 1 where !messages.isEmpty:
        _ = try rig.own(.markRead(upTo: messages.randomElement(using: &random)?.id), by: user)
      case _:
        guard let message = messages.randomElement(using: &random) else { continue }
        rig.begin(.deliver(message.id), by: .participant(user))
      }
      take()
    }
    rig.answerAll()
    pass(1_000)
    take()
    pass(5_000)
    rig.answerAll()
    let times = try receipts().delivered
    for userID in ["ann", "ben"] { #expect(times[userID] ?? 0 == known[userID] ?? 0) }
    try rig.restart(users: [], rules: Self.rules)
    #expect(try receipts().delivered == times)
  }
}

extension ChannelCommand {
  fileprivate static func deliver(_ id: Int64) -> ChannelCommand {
    .group(.markDelivered(upTo: id))
  }
}
