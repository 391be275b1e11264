import FloodControl
import LinkPreview
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: unloading")
struct ReleaseTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig(previews: [:]) }

  private func isReleased() -> Bool {
    rig.others.contains { if case .release = $0 { true } else { false } }
  }

  @Test("a judge with nothing pending may be unloaded")
  mutating func idle() throws {
    #expect(rig.isIdle)
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let commands: [ChannelCommand] = [
      .updateMessage(id, MessageChanges(text: "y")), .viewMessage(id), .freeze, .unfreeze, .view,
      .mute("ann"), .send("refused"), .deleteMessage(id),
    ]
    for command in commands {
      _ = try rig.perform(command, by: .platform)
      #expect(rig.isIdle, "\(command)")
    }
    #expect(!isReleased())
  }

  @Test("a pending response keeps the judge loaded")
  mutating func waiting() throws {
    let id = try #require(try rig.perform(.send("x", "r"), by: "ann").sent).message.id
    let commands: [ChannelCommand] = [
      .send("y"), .updateMessage(id, MessageChanges(text: "y")), .freeze, .viewMessage(id),
      .deleteMessage(id),
    ]
    for command in commands {
      rig.begin(command, by: .platform)
      #expect(!rig.isIdle, "\(command)")
      rig.answerAll()
      #expect(rig.isIdle, "\(command)")
    }
  }

  @Test("a preview lookup, an unknown outcome and a refusal's lookup keep the judge loaded")
  mutating func otherWaits() throws {
    _ = try rig.perform(.send("https://a.example/", "r"), by: "ann")
    #expect(!rig.isIdle)
    rig.handle(.enriched(rig.enrichments[0].id, nil))
    #expect(rig.isIdle)
    _ = try rig.perform(.mute("ann"), by: .platform)
    rig.begin(.send("x", "r"), by: .participant("ann"))
    #expect(!rig.isIdle)
    rig.answerAll()
    rig.begin(.freeze, by: .platform)
    rig.failNext(.unknown(""), isWritten: true)
    rig.failNext(.unavailable(""))
    #expect(rig.requests.isEmpty && !rig.isIdle)
    rig.handle(.deadline)
    rig.answerAll()
    #expect(rig.isIdle)
  }

  @Test("a deadline without an unknown outcome causes no request")
  mutating func deadline() {
    rig.handle(.deadline)
    #expect(rig.requests.isEmpty && rig.others.isEmpty && rig.isIdle)
  }

  @Test("a new judge continues where the previous one ended")
  mutating func reloads() throws {
    _ = try rig.perform(.send("x"), by: "ann")
    let commands: [ChannelCommand] = [
      .update(ChannelFields(name: "n", data: "d", customType: "c")), .freeze,
      .addOperators(["ann"]), .mute("ben", seconds: 50), .ban("cat", seconds: 60),
    ]
    for command in commands { _ = try rig.perform(command, by: .platform) }
    let (channel, count) = (rig.channel, rig.events.count)
    try rig.restart(users: ["ann"])
    #expect(rig.channel == channel && rig.operatorIDs == ["boss", "ann"])
    #expect(rig.restriction(.mute, of: "ben", at: rig.now)?.seconds == 50)
    #expect(rig.restriction(.ban, of: "cat", at: rig.now)?.seconds == 60)
    #expect(try rig.perform(.send("y"), by: "ann").sent?.seq == Int64(count) + 1)
  }

  @Test("created_at does not decrease over a reload, even if the last message was deleted")
  mutating func createdAt() throws {
    let sent = try #require(try rig.perform(.send("x"), by: "ann").sent).message
    _ = try rig.perform(.deleteMessage(sent.id), by: "ann")
    rig.now -= 10_000
    try rig.restart(users: ["ann"])
    #expect(try rig.perform(.send("y"), by: "ann").sent?.message.createdAt == sent.createdAt)
  }

  @Test("after a reload the channel has no participants until the stage reports them")
  mutating func presence() throws {
    try rig.restart(users: [])
    #expect(try rig.perform(.send("x"), by: "ann").code == .notInChannel)
    rig.enter("ann")
    #expect(try rig.perform(.send("x"), by: "ann").sent != nil)
    rig.handle(.left(userID: "ann"))
    #expect(try rig.perform(.send("x"), by: "ann").code == .notInChannel)
  }

  @Test("the end of the channel releases it, and later commands are not carried out")
  mutating func end() throws {
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    _ = try rig.perform(.delete, by: "boss")
    #expect(isReleased() && rig.isIdle)
    let count = rig.events.count
    let commands: [ChannelCommand] = [
      .view, .viewMessage(id), .send("y"), .send("y", "r"), .freeze, .mute("ann"), .delete,
      .updateMessage(id, MessageChanges(text: "y")), .deleteMessage(id), .removeAllOperators,
      .changeMetaArrays(ofMessage: id, .createKeys(["k"])), .unban(userID: "ann"),
    ]
    for command in commands {
      for principal in [Principal.participant("boss"), .platform] {
        let error = try #require(try rig.perform(command, by: principal).error, "\(command)")
        #expect(error.code == .notFound && error.data.field == "channel_url")
      }
    }
    #expect(rig.events.count == count && rig.isIdle && rig.requests.isEmpty)
    #expect(throws: ServiceError.notFound(.channel, "lobby")) {
      try rig.requireEntering("ann", at: rig.now)
    }
    #expect(throws: ServiceError.notFound(.channel, "lobby")) { try rig.requireKeptMessages() }
  }

  @Test("sends queued after the channel's deletion return not found")
  mutating func behindTheEnd() throws {
    let before = rig.begin(.send("x"), by: .participant("ann"))
    rig.begin(.delete, by: .platform)
    let after = rig.begin(.send("y"), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[before]?.sent?.seq == 1 && rig.answers[after]?.code == .notFound)
    #expect(rig.events.map(\.method) == ["message.received", "channel.deleted"])
  }
}
