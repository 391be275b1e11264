import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: order of responses and events")
struct AnswerOrderTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig() }

  @Test("events are sent in order of their numbers, whatever was requested first")
  mutating func numbers() throws {
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let commands: [ChannelCommand] = [
      .updateMessage(id, MessageChanges(text: "y")), .send("a"), .freeze, .send("b", type: .admin),
      .deleteMessage(id), .unfreeze,
    ]
    for command in commands { rig.begin(command, by: .platform) }
    rig.answerAll()
    #expect(rig.events.map(\.seq) == (1...7).map { $0 })
  }

  @Test("concurrent readers of messages each get their own message")
  mutating func views() throws {
    let ids = try ["1", "2", "3"].map {
      try #require(try rig.perform(.send($0), by: "ann").sent).message.id
    }
    let calls = ids.map { rig.begin(.viewMessage($0), by: .participant("ben")) }
    let missing = rig.begin(.viewMessage(7), by: .participant("ben"))
    #expect(rig.requests.count == 4)
    rig.answerAll()
    let texts = calls.map { call -> String? in
      guard case .success(.message(let message))? = rig.answers[call] else { return nil }
      return message.text
    }
    #expect(texts == ["1", "2", "3"] && rig.answers[missing]?.code == .notFound)
  }

  @Test("immediate responses do not overtake waiting ones")
  mutating func atOnce() throws {
    let waiting = rig.begin(.send("x"), by: .participant("ann"))
    let view = rig.begin(.view, by: .participant("ann"))
    let refused = rig.begin(.freeze, by: .participant("ann"))
    #expect(rig.answers[waiting] == nil && rig.answers[view]?.channel?.url == "lobby")
    #expect(rig.answers[refused]?.code == .notAllowed)
    rig.answerAll()
  }

  @Test("one user's sends keep their order, with increasing IDs and times")
  mutating func order() throws {
    let calls = (1...5).map { number in
      rig.begin(.send("\(number)"), by: .participant("ann"))
    }
    rig.answerAll()
    let sent = calls.compactMap { rig.answers[$0]?.sent }
    #expect(sent.map(\.message.text) == ["1", "2", "3", "4", "5"])
    #expect(sent.map(\.seq) == [1, 2, 3, 4, 5])
    for (first, second) in zip(sent, sent.dropFirst()) {
      #expect(first.message.id < second.message.id)
      #expect(first.message.createdAt <= second.message.createdAt)
    }
  }

  @Test("message.received has the message's own time, other events the time of the decision")
  mutating func timestamps() throws {
    rig.begin(.send("x"), by: .participant("ann"))
    let sentAt = rig.now
    rig.now += 700
    rig.answerAll()
    rig.begin(.freeze, by: .platform)
    let frozenAt = rig.now
    rig.now += 700
    rig.answerAll()
    #expect(rig.events.map(\.timestamp) == [sentAt, frozenAt])
    #expect(rig.events.map { $0.params?["ts"]?.integer } == [sentAt, frozenAt])
  }

  @Test("only events about messages, edits and counters have an author connection")
  mutating func authors() throws {
    let boss = Principal.participant("boss", session: 6)
    let id = try #require(try rig.perform(.send("x"), by: boss).sent).message.id
    let commands: [ChannelCommand] = [
      .updateMessage(id, MessageChanges(text: "y")),
      .changeMetaArrays(ofMessage: id, .createKeys(["k"])), .freeze, .mute("ann"),
      .update(ChannelFields(name: "n")),
    ]
    for command in commands { _ = try rig.perform(command, by: boss) }
    #expect(rig.events.prefix(3).allSatisfy { $0.author == .sample(6) })
    #expect(rig.events.dropFirst(3).allSatisfy { $0.author == nil } && rig.events.count == 6)
  }

  @Test("an edit whose commit was interrupted is matched by the written content, not by profiles")
  mutating func settledProfile() throws {
    let id = try #require(
      try rig.perform(.send("x", mentioning: ["ben"]), by: "ann").sent
    ).message.id
    let call = rig.begin(.updateMessage(id, MessageChanges(text: "y")), by: .platform)
    rig.answerNext()
    rig.failNext(.unknown(""), isWritten: true)
    for userID in ["ann", "ben"] { rig.contents.set(User(id: userID, nickname: "new")) }
    rig.answerAll()
    #expect(rig.answers[call]?.changed?.text == "y" && rig.events.count == 2)
  }

  @Test("every decision is counted exactly once")
  mutating func tally() throws {
    let id = try #require(try rig.perform(.send("x", "r"), by: "ann").sent).message.id
    _ = try rig.perform(.send("x", "r"), by: "ann")
    _ = try rig.perform(.updateMessage(id, MessageChanges(text: "y")), by: "ann")
    _ = try rig.perform(.send("x"), by: "away")
    _ = try rig.perform(.deleteMessage(id), by: "ann")
    var expected = JudgeTally()
    expected.accepted = 1
    expected.repeated = 1
    expected.updated = 1
    expected.deleted = 1
    expected.refused.notInChannel = 1
    #expect(rig.tally == expected)
  }
}
