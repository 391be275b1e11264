import FloodControl
import LinkPreview
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: messages of a group")
struct GroupMessageTests {
  private var rig: JudgeRig

  init() throws { rig = try .group() }

  private func send(_ text: String = "x", by userID: String = "ann") throws -> Message {
    try #require(try rig.perform(.send(text), by: userID).sent).message
  }

  // MARK: Ordinals

  @Test("messages are counted from 1 without gaps, whoever sends them")
  mutating func ordinals() throws {
    #expect(try send().ordinal == 1)
    #expect(try send(by: "boss").ordinal == 2)
    let admin = try rig.perform(.send("x", type: .admin), by: .platform)
    #expect(admin.sent?.message.ordinal == 3)
    let file = MessageDraft(
      type: .file, text: "", file: MessageFile(url: "https://a.example/f", name: "f"))
    let sent = try rig.perform(.send(MessageOrder(.success(file), requestID: nil)), by: "ben")
    #expect(sent.sent?.message.ordinal == 4)
    #expect(try rig.stored().lastOrdinal == 4)
  }

  @Test("refused, repeated and failed sends take no ordinal, nor do other events")
  mutating func gapless() throws {
    rig = try .group(limit: RateLimit(count: 5, windowMilliseconds: 1000))
    _ = try rig.perform(.send("x", "r"), by: "ann")
    #expect(try rig.perform(.send("x", "r"), by: "ann").sent?.message.ordinal == 1)
    #expect(try rig.perform(.send("x"), by: "cat").code == .notInChannel)
    _ = try rig.change(.accept, by: "cat")
    rig.begin(.send("x"), by: .participant("ann"))
    rig.failNext(.unavailable(""))
    #expect(try send().ordinal == 2)
    _ = try rig.perform(.mute("ben"), by: "boss")
    #expect(try rig.perform(.send("x"), by: "ben").code == .muted)
    for number in Int64(3)...5 { #expect(try send().ordinal == number) }
    #expect(try rig.perform(.send("x"), by: "ann").code == .flood)
    #expect(try send(by: "cat").ordinal == 6)
    #expect(try rig.stored().lastOrdinal == 6)
  }

  @Test("an interrupted commit takes an ordinal only if it was written")
  mutating func interrupted() throws {
    for isWritten in [true, false, true] {
      let call = rig.begin(.send("x"), by: .participant("ann"))
      rig.failNext(.unknown(""), isWritten: isWritten)
      rig.answerAll()
      #expect((rig.answers[call]?.sent != nil) == isWritten)
    }
    #expect(try send().ordinal == 3)
    #expect(rig.events.map { $0.params?["message"]?["ordinal"]?.integer } == [1, 2, 3])
  }

  @Test("sends that are in the log together are counted in their order")
  mutating func together() throws {
    let calls = (0..<4).map { _ in rig.begin(.send("x"), by: .participant("ann")) }
    rig.answerAll()
    #expect(calls.map { rig.answers[$0]?.sent?.message.ordinal } == [1, 2, 3, 4])
  }

  @Test("a deleted message keeps its ordinal, and the next judge continues the count")
  mutating func continues() throws {
    _ = try send()
    _ = try rig.perform(.deleteMessage(try send().id), by: "ann")
    try rig.restart(users: [])
    #expect(try send().ordinal == 3)
  }

  @Test("a group that keeps no messages counts them in memory")
  mutating func ephemeral() throws {
    rig = try .group(ephemeral: true)
    #expect(try send().ordinal == 1 && send(by: "ben").ordinal == 2)
    #expect(try rig.perform(.send("x"), by: "cat").code == .notInChannel)
    #expect(try rig.perform(.send("x", "r"), by: "ann").sent?.message.ordinal == 3)
    #expect(try rig.perform(.send("x", "r"), by: "ann").sent?.message.ordinal == 3)
    #expect(rig.events.map { $0.params?["message"]?["ordinal"]?.integer } == [1, 2, 3])
    #expect(try rig.stored().lastOrdinal == 0)
    for command in [ChannelCommand.viewMessage(1), .deleteMessage(1)] {
      #expect(try rig.perform(command, by: "ann").code == .notFound)
    }
    #expect(try rig.perform(.viewGroup, by: "ann").group?.lastOrdinal == 3)
  }

  // MARK: Form

  @Test("answer and event show the kind of channel, the ordinal and that the message is not silent")
  mutating func form() throws {
    let sent = try #require(try rig.perform(.send("x"), by: "ann").sent)
    let answer = try JSONDocument(sent.shown.json).root
    #expect(rig.events[0].params?["message"]?.raw == answer.raw)
    #expect(answer["channel_type"]?.string == "group_channels")
    #expect(answer["ordinal"]?.integer == 1 && answer["silent"]?.bool == false)
    #expect(rig.events[0].author == .sample(1))
    let open = try JudgeRig()
    let message = try #require(try open.perform(.send("x"), by: "ann").sent).message
    #expect(message.ordinal == nil)
    #expect(open.events[0].params?["message"]?["ordinal"] == nil)
    #expect(open.events[0].params?["message"]?["silent"] == nil)
    #expect(open.events[0].params?["message"]?["channel_type"]?.string == "open_channels")
  }

  @Test("a message that is read, changed or gets extra data keeps kind and ordinal")
  mutating func changed() throws {
    _ = try send()
    let id = try send().id
    let commands: [ChannelCommand] = [
      .viewMessage(id), .updateMessage(id, MessageChanges(text: "y")),
      .changeMetaArrays(ofMessage: id, .createKeys(["k"])),
    ]
    for command in commands {
      let outcome = try rig.perform(command, by: "ann")
      if case .success(.message(let message)) = outcome {
        #expect(message.ordinal == 2)
      } else {
        #expect(outcome.changed?.ordinal == 2)
      }
    }
    for event in rig.events.suffix(2) {
      let message = event.params?["message"]
      #expect(event.method == "message.updated" && message?["ordinal"]?.integer == 2)
      #expect(message?["channel_type"]?.string == "group_channels")
    }
  }

  @Test("a preview arrives by an update that keeps the ordinal, for the author too")
  mutating func preview() throws {
    rig = try .group(previews: [:])
    let message = try send("see https://a.example/page")
    #expect(message.isPreviewPending && message.ordinal == 1)
    rig.handle(.enriched(rig.enrichments[0].id, .preview(OpenGraphTag(title: "A"))))
    rig.answerAll()
    let event = try #require(rig.events.last)
    #expect(event.method == "message.updated" && event.author == nil)
    #expect(event.params?["message"]?["ordinal"]?.integer == 1)
    #expect(event.params?["message"]?["og_tag"]?["og:title"]?.string == "A")
  }

  @Test("the deletion of a message names its ordinal and its author")
  mutating func deletion() throws {
    _ = try send()
    let id = try send().id
    let admin = try #require(try rig.perform(.send("x", type: .admin), by: .platform).sent).message
    for id in [id, admin.id] { _ = try rig.perform(.deleteMessage(id), by: "boss") }
    let events = rig.events.suffix(2).map(\.params)
    #expect(events.map { $0?["ordinal"]?.integer } == [2, 3])
    #expect(events.map { $0?["sender_id"]?.string } == ["ann", nil])
    let open = try JudgeRig()
    let message = try #require(try open.perform(.send("x"), by: "ann").sent).message
    _ = try open.perform(.deleteMessage(message.id), by: "ann")
    #expect(open.events.last?.params?["sender_id"] == nil)
    #expect(open.events.last?.params?["ordinal"] == nil)
  }

  @Test("the deletion names ordinal and author after an interrupted commit too")
  mutating func interruptedDeletion() throws {
    let id = try send().id
    rig.begin(.deleteMessage(id), by: .participant("ann"))
    rig.answerNext()
    rig.failNext(.unknown(""), isWritten: true)
    rig.answerAll()
    #expect(rig.events.last?.params?["ordinal"]?.integer == 1)
    #expect(rig.events.last?.params?["sender_id"]?.string == "ann")
  }

  // MARK: Mentions

  @Test("only joined members can be mentioned, and nobody is notified beside the event")
  mutating func mentions() throws {
    let ids = ["away", "ben", "cat", "nobody", "boss"]
    let outcome = try rig.perform(.send("x", mentioning: ids), by: "ann")
    #expect(outcome.sent?.message.mentionedUsers.map(\.id) == ["ben", "boss"])
    let shown = rig.events[0].params?["message"]?["mentioned_users"]?.elements
    #expect(shown?.map { $0["user_id"]?.string } == ["ben", "boss"])
    let channel = MessageDraft(text: "x", mentionType: .channel)
    _ = try rig.perform(.send(MessageOrder(.success(channel), requestID: nil)), by: "ann")
    #expect(rig.events.last?.params?["message"]?["mention_type"]?.string == "channel")
    #expect(rig.others.isEmpty)
  }

  @Test("members who have left meanwhile are not mentioned by a later edit")
  mutating func editedMentions() throws {
    let id = try send().id
    _ = try rig.change(.leave, by: "ben")
    let changes = MessageChanges(text: "y", mentionedUserIDs: ["ben", "boss", "away"])
    let outcome = try rig.perform(.updateMessage(id, changes), by: "ann")
    #expect(outcome.changed?.mentionedUsers.map(\.id) == ["boss"])
    #expect(rig.others.isEmpty)
  }

  @Test("the Platform API mentions joined members only")
  mutating func platformMentions() throws {
    let admin = ChannelCommand.send("x", type: .admin, mentioning: ["away", "ann"])
    #expect(
      try rig.perform(admin, by: .platform).sent?.message.mentionedUsers.map(\.id) == ["ann"])
    #expect(rig.others.isEmpty)
  }

  // MARK: Who may send

  @Test("obstacles come in the order of the contract")
  mutating func obstacles() throws {
    rig = try .group(isPublic: true)
    _ = try rig.perform(.mute("ann"), by: "boss")
    #expect(try rig.perform(.send("x"), by: "ann").code == .muted)
    _ = try rig.perform(.freeze, by: "boss")
    #expect(try rig.perform(.send("x"), by: "ann").code == .frozen)
    #expect(try rig.perform(.send("x"), by: "boss").sent != nil)
    #expect(try rig.perform(.send("x"), by: .platform).sent != nil)
    _ = try rig.change(.leave, by: "ann")
    let refusal = try #require(try rig.perform(.send("x"), by: "ann").error)
    #expect(refusal == .notJoined("lobby") && refusal.code == .notInChannel)
    _ = try rig.perform(.ban("ann"), by: "boss")
    #expect(try rig.perform(.send("x"), by: "ann").error == .banned("lobby"))
  }

  @Test("presence has no meaning: members send without being in the group")
  mutating func presence() throws {
    rig.handle(.left(userID: "ann"))
    rig.handle(.entered(userID: "cat"))
    #expect(try send().ordinal == 1)
    #expect(try rig.perform(.send("x"), by: "cat").code == .notInChannel)
  }

  @Test("edits need a joined author")
  mutating func edits() throws {
    rig = try .group(isPublic: true)
    let id = try send().id
    _ = try rig.change(.leave, by: "ann")
    let edit = ChannelCommand.updateMessage(id, MessageChanges(text: "y"))
    #expect(try rig.perform(edit, by: "ann").code == .notInChannel)
    #expect(try rig.perform(.deleteMessage(id), by: "ann").code == .notAllowed)
    #expect(try rig.perform(edit, by: "boss").changed != nil)
  }

  // MARK: History

  @Test("messages from before a member joined do not exist for it")
  mutating func history() throws {
    let (old, kept) = (try send().id, try send(by: "boss").id)
    rig.now += 1
    _ = try rig.change(.invite(["away"]), by: "boss")
    _ = try rig.perform(.addOperators(["away"]), by: "boss")
    #expect(try rig.requireReading("away") == rig.now)
    let commands: [ChannelCommand] = [
      .viewMessage(old), .translateMessage(old, into: ["de"]), .deleteMessage(old),
      .updateMessage(old, MessageChanges(text: "y")),
      .changeMetaArrays(ofMessage: old, .createKeys(["k"])),
    ]
    let eventCount = rig.events.count
    for command in commands {
      #expect(try rig.perform(command, by: "away").error == .notFound(messageID: old))
    }
    #expect(rig.events.count == eventCount)
    let usage = rig.sendCheck(of: "away", at: rig.now)
    #expect(usage.changes.used == 0)
    #expect(try rig.perform(.deleteMessage(kept), by: "boss").code == nil)
  }

  @Test("messages from the moment of joining on are visible")
  mutating func visible() throws {
    _ = try rig.change(.accept, by: "cat")
    let id = try send().id
    guard case .success(.message) = try rig.perform(.viewMessage(id), by: "cat") else {
      return #expect(Bool(false))
    }
    #expect(try rig.perform(.deleteMessage(id), by: "boss").code == nil)
  }

  @Test("history starts anew for who joins again, and ends with leaving")
  mutating func rejoins() throws {
    let id = try send().id
    _ = try rig.change(.leave, by: "ann")
    #expect(try rig.perform(.viewMessage(id), by: "ann").error == .notFound(.channel, "lobby"))
    rig.now += 1
    _ = try rig.change(.invite(["ann"]), by: "boss")
    for command in [ChannelCommand.viewMessage(id), .deleteMessage(id)] {
      #expect(try rig.perform(command, by: "ann").error == .notFound(messageID: id))
    }
    guard case .success(.message) = try rig.perform(.viewMessage(id), by: "ben") else {
      return #expect(Bool(false))
    }
  }

  @Test(
    "a member who leaves while a message is read gets none",
    arguments: [
      ChannelCommand.viewMessage(10_000_000_000), .translateMessage(10_000_000_000, into: ["de"]),
    ])
  func leavesMeanwhile(command: ChannelCommand) throws {
    let rig = try JudgeRig.group(isPublic: true)
    let sent = try #require(try rig.perform(.send("x"), by: "boss").sent)
    #expect(sent.message.id == 10_000_000_000)
    rig.now += 1
    _ = try rig.change(.join(accessCode: ""), by: "away")
    let leave = rig.begin(.change(.leave), by: .participant("away"))
    let read = rig.begin(command, by: .participant("away"))
    rig.answerAll()
    #expect(rig.answers[leave]?.code == nil && rig.answers[read]?.code == .notAllowed)
  }

  @Test("the Platform API reads and changes all messages")
  mutating func platform() throws {
    let id = try send().id
    rig.now += 1
    #expect(try rig.perform(.deleteMessage(id), by: .platform).code == nil)
  }

  @Test("after the clock was set back, who joins does not see earlier messages")
  mutating func clockStep() throws {
    let id = try send().id
    rig.now += 10
    _ = try send()
    rig.now -= 5_000
    rig.stepped -= 5_000
    _ = try rig.change(.invite(["away"]), by: "boss")
    _ = try rig.change(.accept, by: "cat")
    for userID in ["away", "cat"] {
      #expect(try rig.perform(.viewMessage(id), by: userID).error == .notFound(messageID: id))
      let later = try send("y", by: userID).id
      #expect(try rig.perform(.viewMessage(later), by: userID).code == nil)
    }
    #expect(try rig.perform(.viewMessage(id), by: "ben").code == nil)
  }
}
