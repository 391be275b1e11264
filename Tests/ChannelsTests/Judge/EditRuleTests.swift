import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: rules of edits and deletions")
struct EditRuleTests {
  private var rig: JudgeRig
  private let id: Int64

  init() throws {
    rig = try JudgeRig()
    id = try #require(try rig.perform(.send("old", mentioning: ["ben"]), by: "ann").sent).message.id
    rig.events = []
  }

  private func edit(_ changes: MessageChanges) -> ChannelCommand { .updateMessage(id, changes) }

  private func stored() throws -> Message? {
    guard
      case .success(.read(.message(let found))) = rig.contents.answer(
        .message(id, channelID: rig.place.id))
    else { return nil }
    return found?.message
  }

  @Test("an edit sets updated_at and keeps created_at, the author and the request ID")
  mutating func times() throws {
    let before = try #require(try stored())
    rig.now += 5_000
    let changed = try #require(
      try rig.perform(edit(MessageChanges(text: "new")), by: "boss").changed)
    #expect(changed.updatedAt == rig.now && changed.createdAt == before.createdAt)
    #expect(changed.user == before.user && changed.requestID == before.requestID)
    #expect(rig.events[0].params?["ts"]?.integer == rig.now)
    #expect(try stored() == changed)
  }

  @Test("each part of a message is changed independently")
  mutating func parts() throws {
    let steps: [(MessageChanges, (Message) -> Bool)] = [
      (MessageChanges(text: "t"), { $0.text == "t" }),
      (MessageChanges(data: "d"), { $0.data == "d" }),
      (MessageChanges(customType: "c"), { $0.customType == "c" }),
      (MessageChanges(mentionType: .channel), { $0.mentionType == .channel }),
      (MessageChanges(mentionedUserIDs: ["cat"]), { $0.mentionedUsers.map(\.id) == ["cat"] }),
    ]
    for (index, (changes, isMade)) in steps.enumerated() {
      let changed = try #require(try rig.perform(edit(changes), by: "ann").changed)
      for (_, wasMade) in steps[...index] { #expect(wasMade(changed)) }
      #expect(isMade(changed) && rig.events.count == index + 1)
    }
  }

  @Test("an edit notifies no mentioned users")
  mutating func mentions() throws {
    _ = try rig.perform(edit(MessageChanges(mentionedUserIDs: ["away", "nobody"])), by: "ann")
    let shown = rig.events[0].params?["message"]?["mentioned_users"]?.elements
    #expect(shown?.map { $0["user_id"]?.string } == ["away"] && rig.others.isEmpty)
  }

  @Test("omitted mentions stay, and an empty list removes them")
  mutating func keepsMentions() throws {
    let kept = try rig.perform(edit(MessageChanges(text: "new")), by: "ann").changed
    #expect(kept?.mentionedUsers.map(\.id) == ["ben"])
    let gone = try rig.perform(edit(MessageChanges(mentionedUserIDs: [])), by: "ann").changed
    #expect(gone?.mentionedUsers == [])
  }

  @Test("an edit that changes nothing still counts as an edit")
  mutating func same() throws {
    let changed = try rig.perform(edit(MessageChanges(text: "old")), by: "ann").changed
    #expect(changed?.updatedAt == rig.now && rig.events.map(\.seq) == [2])
  }

  @Test("an edit by the back end has no author connection, an operator's edit has the operator's")
  mutating func author() throws {
    _ = try rig.perform(edit(MessageChanges(text: "1")), by: .platform(onBehalfOf: User(id: "ann")))
    _ = try rig.perform(edit(MessageChanges(text: "2")), by: .participant("boss", session: 4))
    #expect(rig.events.map(\.author) == [nil, .sample(4)])
    #expect(rig.events[1].params?["message"]?["user"]?["user_id"]?.string == "ann")
  }

  @Test("every user can read messages, including absent and banned users")
  mutating func reads() throws {
    _ = try rig.perform(.ban("cat"), by: "boss")
    for userID in ["ann", "ben", "cat", "away"] {
      guard case .success(.message(let message)) = try rig.perform(.viewMessage(id), by: userID)
      else { return #expect(Bool(false)) }
      #expect(message.text == "old" && message.mentionedUsers.map(\.nickname) == ["BEN"])
    }
  }

  @Test("a failed read returns its error, and a read of a missing message names the message")
  mutating func failedReads() throws {
    let call = rig.begin(.viewMessage(id), by: .participant("ann"))
    #expect(!rig.isIdle)
    rig.failNext(.overloaded)
    #expect(rig.answers[call]?.code == .internalError && rig.isIdle)
    let error = try #require(try rig.perform(.viewMessage(7), by: "ann").error)
    #expect(error.code == .notFound && error.data.field == "message_id")
  }

  @Test("a change whose message cannot be read changes nothing and does not count")
  mutating func unreadable() throws {
    for command in [edit(MessageChanges(text: "x")), .deleteMessage(id)] {
      let call = rig.begin(command, by: .participant("ann"))
      rig.failNext(.unavailable(""))
      #expect(rig.answers[call]?.code == .internalError)
    }
    #expect(rig.events.isEmpty && rig.isIdle && rig.tally.deleted == 0)
    #expect(rig.sendCheck(of: "ann", at: rig.now).changes.used == 0)
  }

  @Test("an edit queued after a deletion finds no message, and does not count")
  mutating func behindDeletion() throws {
    let deletion = rig.begin(.deleteMessage(id), by: .participant("boss"))
    let calls = [edit(MessageChanges(text: "x")), .deleteMessage(id)].map {
      rig.begin($0, by: .participant("ann"))
    }
    rig.answerAll()
    #expect(rig.answers[deletion]?.code == nil)
    #expect(calls.map { rig.answers[$0]?.code } == [.notFound, .notFound])
    #expect(rig.events.map(\.method) == ["message.deleted"] && rig.isIdle)
    #expect(rig.sendCheck(of: "ann", at: rig.now).changes.used == 0)
  }

  @Test("a failed deletion leaves the message for the queued changes")
  mutating func failedDeletion() throws {
    let deletion = rig.begin(.deleteMessage(id), by: .participant("boss"))
    let call = rig.begin(edit(MessageChanges(text: "x")), by: .participant("ann"))
    rig.answerNext()
    rig.failNext(.unavailable(""))
    rig.answerAll()
    #expect(rig.answers[deletion]?.code == .internalError)
    #expect(rig.answers[call]?.changed?.text == "x")
    #expect(rig.events.map(\.method) == ["message.updated"])
  }

  @Test("a message that the log has lost is missing for all waiting calls")
  mutating func lost() throws {
    let calls = ["1", "2"].map {
      rig.begin(edit(MessageChanges(text: $0)), by: .participant("ann"))
    }
    rig.answerNext()
    rig.failNext(.missing(.message))
    #expect(calls.map { rig.answers[$0]?.code } == [.notFound, .notFound])
    #expect(rig.requests.isEmpty && rig.isIdle)
  }

  @Test("changes of different messages run independently")
  mutating func independent() throws {
    let other = try #require(try rig.perform(.send("other"), by: "ann").sent).message.id
    for message in [id, other] {
      rig.begin(
        .updateMessage(message, MessageChanges(text: "x")), by: .participant("ann"))
    }
    #expect(rig.requests.count == 2)
    rig.answerAll()
    #expect(rig.events.filter { $0.method == "message.updated" }.map(\.seq) == [3, 4])
  }

  @Test("a deletion event carries only the message ID and its time, and goes to every connection")
  mutating func deletion() throws {
    rig.now += 50
    _ = try rig.perform(.deleteMessage(id), by: .participant("ann", session: 3))
    let event = try #require(rig.events.first)
    #expect(event.author == nil && event.timestamp == rig.now)
    #expect(event.params?["message_id"]?.integer == id && event.params?["message"] == nil)
    guard case .deletion(ofMessage: id) = event.subject else { return #expect(Bool(false)) }
    #expect(rig.tally.deleted == 1)
  }

  @Test("a message of the back end can be changed by operators and the back end")
  mutating func admin() throws {
    let admin = try #require(
      try rig.perform(.send("news", type: .admin), by: .platform).sent
    ).message.id
    let edit = ChannelCommand.updateMessage(admin, MessageChanges(text: "x"))
    #expect(try rig.perform(edit, by: "ann").code == .notAllowed)
    #expect(try rig.perform(edit, by: "boss").changed?.user == nil)
    #expect(try rig.perform(.deleteMessage(admin), by: "ann").code == .notAllowed)
    #expect(try rig.perform(.deleteMessage(admin), by: .platform).code == nil)
  }

  @Test("admin messages are limited to 1,000 characters even where 5,000 are allowed")
  mutating func adminLength() throws {
    let admin = try #require(
      try rig.perform(.send("news", type: .admin), by: .platform).sent
    ).message.id
    for (count, code) in [(1_000, nil), (1_001, ErrorCode.tooLong)] {
      let changes = MessageChanges(text: String(repeating: "ä", count: count))
      #expect(try rig.perform(.updateMessage(admin, changes), by: .platform).code == code)
    }
  }

  @Test("an oversized message may be made smaller, not larger")
  mutating func shrinks() throws {
    let large = Message(
      id: id + 1, channelURL: "lobby", user: User(id: "ann"), text: "x",
      data: String(repeating: "\u{1}", count: 16_000), createdAt: rig.now)
    let entry = LogEntry.write(.append(UnsequencedMessage(large)), rig.place)
    _ = rig.contents.perform(entry)
    let smaller = MessageChanges(data: String(repeating: "\u{1}", count: 15_000))
    #expect(try rig.perform(.updateMessage(large.id, smaller), by: "ann").changed != nil)
    let larger = MessageChanges(text: "xx")
    let error = try #require(try rig.perform(.updateMessage(large.id, larger), by: "ann").error)
    #expect(error.code == .tooLong && error.data.field == "data")
  }

  @Test("the operator flag of an edited message is that of the send")
  mutating func operatorMessage() throws {
    _ = try rig.perform(.addOperators(["ann"]), by: .platform)
    let changed = try rig.perform(edit(MessageChanges(text: "x")), by: "ann").changed
    #expect(changed?.isOperatorMessage == false)
  }

  @Test("changes are not carried out in a channel that was deleted in the meantime")
  mutating func channelGone() throws {
    let deletion = rig.begin(.delete, by: .platform)
    let late = rig.begin(edit(MessageChanges(text: "x")), by: .participant("ann"))
    let view = rig.begin(.viewMessage(id), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[deletion]?.code == nil && rig.isIdle)
    #expect([late, view].map { rig.answers[$0]?.code } == [.notFound, .notFound])
  }
}
