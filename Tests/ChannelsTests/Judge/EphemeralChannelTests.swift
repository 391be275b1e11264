import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: ephemeral channels")
struct EphemeralChannelTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig(ephemeral: true) }

  @Test("messages keep their order after earlier commands, and are numbered in memory")
  mutating func numbers() throws {
    for _ in 0..<3 { _ = try rig.perform(.send("x"), by: "ann") }
    _ = try rig.perform(.freeze, by: "boss")
    #expect(rig.events.map(\.seq) == [1, 2, 3, 4])
    #expect(rig.events.map(\.method).last == "channel.frozen")
  }

  @Test("mentioned users are resolved as in other channels")
  mutating func mentions() throws {
    let sent = try rig.perform(.send("x", mentioning: ["ben", "nobody"]), by: "ann").sent
    #expect(sent?.message.mentionedUsers.map(\.nickname) == ["BEN"])
  }

  @Test("messages cannot be listed, viewed or changed")
  mutating func keepsNothing() throws {
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let commands: [ChannelCommand] = [
      .viewMessage(id), .deleteMessage(id), .updateMessage(id, MessageChanges(text: "y")),
      .changeMetaArrays(ofMessage: id, .createKeys(["k"])),
      .changeMetaArrays(ofMessage: id, .addValues([])),
    ]
    for command in commands {
      for principal in [Principal.participant("boss"), .platform] {
        #expect(try rig.perform(command, by: principal).code == .notFound)
      }
    }
    #expect(throws: ServiceError.notKept(inEphemeralChannel: "lobby")) {
      try rig.requireKeptMessages()
    }
  }

  @Test("the judge posts every durable event to the webhooks, because the log has no record of it")
  mutating func webhooks() throws {
    _ = try rig.perform(.send("x"), by: "ann")
    _ = try rig.perform(.mute("ben"), by: "boss")
    let posts = rig.others.compactMap { action -> EventName? in
      guard case .post(let event, let origin) = action else { return nil }
      let notification = event.notification(from: origin)
      return rig.events.contains { $0.payload == notification } ? event.name : nil
    }
    #expect(posts == [.messageReceived, .userMuted])
  }

  @Test("in a channel that keeps its messages, the log posts the webhooks")
  func kept() throws {
    let rig = try JudgeRig()
    _ = try rig.perform(.send("x"), by: "ann")
    #expect(rig.others.isEmpty)
  }
}
