import FloodControl
import LinkPreview
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: rules of ephemeral channels")
struct EphemeralRuleTests {
  private var rig: JudgeRig
  private let link = "https://a.example/page"

  init() throws { rig = try JudgeRig(ephemeral: true, previews: [:]) }

  private func posts() -> [(event: EventName, seq: Int64?)] {
    rig.others.compactMap { action in
      guard case .post(let event, let origin) = action else { return nil }
      return (event.name, origin.seq)
    }
  }

  @Test("a message is acknowledged and published, and the log stores nothing")
  mutating func keepsNothing() throws {
    let sent = try #require(try rig.perform(.send("x", "r"), by: "ann").sent)
    #expect(sent.seq == 1 && rig.events.map(\.method) == ["message.received"])
    guard
      case .success(.read(.message(nil))) = rig.contents.answer(
        .message(sent.message.id, channelID: rig.place.id)),
      case .success(.read(.channel(let state?))) = rig.contents.answer(.channel(url: "lobby"))
    else { return #expect(Bool(false)) }
    #expect(state.lastSeq == 0 && state.lastCreatedAt == 0)
  }

  @Test("all events of the channel share one sequence")
  mutating func count() throws {
    let commands: [ChannelCommand] = [
      .send("x"), .freeze, .unfreeze, .send("y"), .mute("ann"), .unmute(userID: "ann"),
      .update(ChannelFields(name: "n")), .addOperators(["ann"]), .send("z"),
    ]
    for command in commands { _ = try rig.perform(command, by: .platform) }
    #expect(rig.events.map(\.seq) == (1...9).map { $0 })
    #expect(posts().map(\.seq) == (1...9).map { $0 })
    _ = try rig.perform(.delete, by: .platform)
    #expect(rig.events.last?.seq == 10 && posts().last?.event == .channelDeleted)
  }

  @Test("a recreated channel numbers its events from 1")
  mutating func anotherLife() throws {
    for _ in 0..<3 { _ = try rig.perform(.send("x"), by: "ann") }
    _ = try rig.perform(.freeze, by: .platform)
    try rig.restart(users: ["ann", "boss"])
    #expect(try rig.perform(.send("x"), by: "ann").code == .frozen)
    #expect(try rig.perform(.send("x"), by: "boss").sent?.seq == 1)
  }

  @Test("the flood window limits sends, and is empty in a recreated channel")
  mutating func flood() throws {
    for _ in 0..<5 { #expect(try rig.perform(.send("x"), by: "ann").sent != nil) }
    #expect(try rig.perform(.send("x"), by: "ann").code == .flood)
    try rig.restart(users: ["ann"])
    #expect(try rig.perform(.send("x"), by: "ann").sent != nil)
  }

  @Test("a repeated request ID is recognized for ten minutes within the same epoch")
  mutating func repeats() throws {
    let first = try #require(try rig.perform(.send("x", "r"), by: "ann").sent)
    rig.now += 599_999
    #expect(try rig.perform(.send("y", "r"), by: "ann").sent?.message.id == first.message.id)
    rig.now += 1
    #expect(try rig.perform(.send("y", "r"), by: "ann").sent?.seq == 2)
    try rig.restart(users: ["ann"])
    #expect(try rig.perform(.send("y", "r"), by: "ann").sent?.seq == 1)
  }

  @Test("a repetition is answered whatever restrictions its sender has, without a lookup")
  mutating func repeatsRefused() throws {
    let first = try #require(try rig.perform(.send("x", "r"), by: "ann").sent)
    _ = try rig.perform(.ban("ann"), by: .platform)
    let call = rig.begin(.send("x", "r"), by: .participant("ann"))
    let other = rig.begin(.send("x", "s"), by: .participant("ann"))
    #expect(rig.requests.isEmpty && rig.answers[call]?.sent?.message == first.message)
    #expect(rig.answers[other]?.code == .banned && rig.tally.repeated == 1)
  }

  @Test("a repetition returns the current message, with its preview")
  mutating func repeatsUpdated() throws {
    let first = try #require(try rig.perform(.send(link, "r"), by: "ann").sent)
    _ = try rig.perform(.send("other", "s"), by: "ann")
    rig.handle(.enriched(rig.enrichments[0].id, .preview(OpenGraphTag(title: "A"))))
    let again = try #require(try rig.perform(.send(link, "r"), by: "ann").sent)
    #expect(again.message.openGraphTag?.title == "A" && again.seq == first.seq)
    #expect(String(decoding: again.shown.json, as: UTF8.self).contains(#""og:title":"A""#))
    #expect(try rig.perform(.send("other", "s"), by: "ann").sent?.message.text == "other")
    #expect(rig.tally.repeated == 2 && rig.events.count == 3)
  }

  @Test("a failed send leaves no request ID, number or window entry")
  mutating func failed() throws {
    let call = rig.begin(.send("x", "r"), by: .participant("ann"))
    rig.failNext(.overloaded)
    #expect(rig.answers[call]?.code == .internalError && rig.events.isEmpty)
    #expect(rig.sendCheck(of: "ann", at: rig.now).sends.used == 0)
    #expect(try rig.perform(.send("x", "r"), by: "ann").sent?.seq == 1)
  }

  @Test("a file is relayed, and its message is published")
  mutating func files() throws {
    let file = FileRecord(id: "f", name: "n", type: "", size: 1)
    let draft = MessageDraft(type: .file, text: "", mentionedUserIDs: ["ben", "nobody"])
    let order = MessageOrder(.success(draft), requestID: nil, upload: file)
    let call = rig.begin(.send(order), by: .platform(onBehalfOf: User(id: "ann")))
    guard case .entry(.send, .write(.relay(let relayed), _))? = rig.requests.first
    else { return #expect(Bool(false), "\(rig.requests)") }
    #expect(relayed.upload == file)
    rig.answerAll()
    #expect(rig.answers[call]?.sent?.message.mentionedUsers.map(\.id) == ["ben"])
  }

  @Test("messages keep their order relative to earlier operations")
  mutating func order() throws {
    let freeze = rig.begin(.freeze, by: .platform)
    let send = rig.begin(.send("x"), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[freeze]?.code == nil && rig.answers[send]?.sent?.seq == 2)
    #expect(rig.events.map(\.method) == ["channel.frozen", "message.received"])
  }

  @Test("previews arrive for recent messages, each with the next number, posted like others")
  mutating func previews() throws {
    _ = try rig.perform(.send(link), by: "ann")
    #expect(!rig.isIdle)
    rig.now += 400
    rig.handle(.enriched(rig.enrichments[0].id, .preview(OpenGraphTag(title: "A"))))
    let event = try #require(rig.events.last)
    #expect(event.method == "message.updated" && event.seq == 2 && event.timestamp == rig.now)
    #expect(event.params?["message"]?["og_tag"]?["og:title"]?.string == "A")
    #expect(event.params?["message"]?["updated_at"]?.integer == 0 && rig.isIdle)
    #expect(posts().map(\.event) == [.messageReceived, .messageUpdated])
    #expect(rig.tally.previewsUpdated == 1)
  }

  @Test("no preview is published after the channel's end, nor an empty one")
  mutating func latePreviews() throws {
    for _ in 0..<2 { _ = try rig.perform(.send(link), by: "ann") }
    rig.handle(.enriched(rig.enrichments[0].id, nil))
    _ = try rig.perform(.delete, by: .platform)
    let count = rig.events.count
    rig.handle(.enriched(rig.enrichments[1].id, .preview(OpenGraphTag(title: "A"))))
    #expect(rig.events.count == count && rig.tally.previewsNone == 2)
  }

  @Test("the removal of deleted operators is published with the channel's next number")
  mutating func deletedOperator() throws {
    _ = try rig.perform(.send("x"), by: "ann")
    _ = try rig.perform(.removeOperators(["boss"]), by: .platform)
    #expect(rig.events.map(\.seq) == [1, 2] && posts().last?.event == .operatorsChanged)
  }

  @Test("created_at does not decrease within an epoch")
  mutating func times() throws {
    _ = try rig.perform(.send("x"), by: "ann")
    rig.now -= 500
    let second = try #require(try rig.perform(.send("y"), by: "ben").sent)
    #expect(second.message.createdAt == rig.now + 500)
  }

  @Test("muting, banning and freezing work as in every channel")
  mutating func obstacles() throws {
    _ = try rig.perform(.mute("ann"), by: "boss")
    _ = try rig.perform(.ban("ben"), by: "boss")
    #expect(try rig.perform(.send("x"), by: "ann").code == .muted)
    #expect(try rig.perform(.send("x"), by: "ben").code == .banned)
    _ = try rig.perform(.freeze, by: "boss")
    #expect(try rig.perform(.send("x"), by: "cat").code == .frozen)
    #expect(try rig.perform(.send("x"), by: "boss").sent?.seq == 4)
  }
}
