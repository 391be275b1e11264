import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: changing messages")
struct ChangingMessagesTests {
  private var rig: JudgeRig
  private let id: Int64

  init() throws {
    rig = try JudgeRig()
    id = try #require(try rig.perform(.send("old"), by: "ann").sent).message.id
    rig.events = []
  }

  private func edit(_ text: String) -> ChannelCommand {
    .updateMessage(id, MessageChanges(text: text))
  }

  @Test("only authors and operators change a message")
  mutating func rights() throws {
    #expect(try rig.perform(edit("1"), by: "ben").code == .notAllowed)
    #expect(try rig.perform(edit("2"), by: "ann").changed?.text == "2")
    #expect(try rig.perform(edit("3"), by: "boss").changed?.text == "3")
    #expect(try rig.perform(edit("4"), by: .platform).changed?.text == "4")
    #expect(try rig.perform(.deleteMessage(id), by: "ben").code == .notAllowed)
    #expect(try rig.perform(.deleteMessage(id), by: "ann").code == nil)
  }

  @Test("an edit is published to all, except its own connection, which gets the response")
  mutating func publishes() throws {
    rig.now += 10
    let call = rig.begin(edit("new"), by: .participant("ann", session: 9))
    rig.answerAll()
    #expect(rig.answers[call]?.changed?.updatedAt == rig.now)
    let event = try #require(rig.events.first)
    #expect(event.method == "message.updated" && event.seq == 2 && event.author == .sample(9))
    #expect(event.params?["message"]?["message"]?.string == "new")
    guard case .update(ofMessage: id) = event.subject else { return #expect(Bool(false)) }
  }

  @Test("absent fields stay unchanged")
  mutating func partial() throws {
    let changes = MessageChanges(data: "d", mentionedUserIDs: ["ben", "nobody"])
    let changed = try #require(try rig.perform(.updateMessage(id, changes), by: "ann").changed)
    #expect(changed.text == "old" && changed.data == "d")
    #expect(changed.mentionedUsers.map(\.id) == ["ben"])
    let again = try #require(try rig.perform(edit("new"), by: "ann").changed)
    #expect(again.data == "d" && again.mentionedUsers.map(\.id) == ["ben"])
  }

  @Test("users who may not send may not edit, but may delete", arguments: [true, false])
  mutating func editing(isMuted: Bool) throws {
    _ = try rig.perform(isMuted ? .mute("ann") : .freeze, by: "boss")
    #expect(try rig.perform(edit("x"), by: "ann").code == (isMuted ? .muted : .frozen))
    #expect(try rig.perform(.deleteMessage(id), by: "ann").code == nil)
  }

  @Test("an author who has left the channel may edit, a banned author may not")
  mutating func away() throws {
    rig.handle(.left(userID: "ann"))
    #expect(try rig.perform(edit("x"), by: "ann").changed != nil)
    _ = try rig.perform(.ban("ann"), by: "boss")
    #expect(try rig.perform(edit("y"), by: "ann").code == .banned)
  }

  @Test("changes have their own flood window; refused and no-op changes do not count")
  mutating func flood() throws {
    for _ in 0..<9 { #expect(try rig.perform(edit("x"), by: "ben").code == .notAllowed) }
    for text in ["1", "2", "3", "4", "5"] {
      #expect(try rig.perform(edit(text), by: "ann").changed?.text == text)
    }
    #expect(try rig.perform(edit("6"), by: "ann").code == .flood)
    #expect(try rig.perform(.send("still"), by: "ann").sent != nil)
    #expect(rig.tally.updated == 5 && rig.tally.refused.flood == 1)
  }

  @Test("deletions are sent to every connection and count in no window")
  mutating func deletion() throws {
    var ids: [Int64] = []
    for _ in 0..<9 {
      ids.append(try #require(try rig.perform(.send("x"), by: .platform).sent).message.id)
    }
    rig.events = []
    for id in ids { #expect(try rig.perform(.deleteMessage(id), by: "boss").code == nil) }
    #expect(rig.events.count == 9 && rig.events.allSatisfy { $0.author == nil })
    #expect(rig.events[0].params?["message_id"]?.integer == ids[0])
    #expect(try rig.perform(.deleteMessage(ids[0]), by: "boss").code == .notFound)
  }

  @Test("a message that does not exist cannot be changed or viewed")
  mutating func missing() throws {
    #expect(
      try rig.perform(.updateMessage(1, MessageChanges(text: "x")), by: "boss").code == .notFound)
    #expect(try rig.perform(.viewMessage(1), by: "ann").code == .notFound)
    guard case .success(.message(let found)) = try rig.perform(.viewMessage(id), by: "ann") else {
      return #expect(Bool(false))
    }
    #expect(found.text == "old" && rig.isIdle)
  }

  @Test("changes of one message run one at a time, each judged by the result of the previous one")
  mutating func turns() throws {
    let calls = ["1", "2", "3"].map { rig.begin(edit($0), by: .participant("ann")) }
    let deletion = rig.begin(.deleteMessage(id), by: .participant("boss"))
    let late = rig.begin(edit("late"), by: .participant("ann"))
    #expect(rig.requests.count == 1)
    rig.answerAll()
    #expect(calls.map { rig.answers[$0]?.changed?.text } == ["1", "2", "3"])
    #expect(rig.answers[deletion]?.code == nil && rig.answers[late]?.code == .notFound)
    #expect(rig.events.map(\.seq) == [2, 3, 4, 5])
  }

  @Test("a failed change does not count in the window, and the changes after it proceed")
  mutating func failures() throws {
    let calls = ["1", "2"].map { rig.begin(edit($0), by: .participant("ann")) }
    rig.answerNext()
    rig.failNext(.unavailable("disk full"))
    rig.answerAll()
    #expect(rig.answers[calls[0]]?.code == .internalError)
    #expect(rig.answers[calls[1]]?.changed?.text == "2" && rig.events.count == 1)
    #expect(rig.sendCheck(of: "ann", at: rig.now).changes.used == 1)
  }

  @Test("an admin message cannot exceed its shorter length limit")
  mutating func adminLength() throws {
    let admin = try #require(
      try rig.perform(.send("x", type: .admin), by: .platform).sent
    ).message.id
    let long = MessageChanges(text: String(repeating: "x", count: 1_001))
    #expect(try rig.perform(.updateMessage(admin, long), by: .platform).code == .tooLong)
    #expect(try rig.perform(.updateMessage(id, long), by: .platform).changed != nil)
  }

  @Test("a change that would not fit into an event is refused")
  mutating func size() throws {
    let large = MessageChanges(data: String(repeating: "\u{1}", count: 16_000))
    #expect(try rig.perform(.updateMessage(id, large), by: "ann").code == .tooLong)
  }
}
