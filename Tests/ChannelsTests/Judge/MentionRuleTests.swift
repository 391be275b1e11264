import FloodControl
import LinkPreview
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: rules of mentions")
struct MentionRuleTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig() }

  private struct Mention {
    let userIDs: [String]
    let author: MentionAuthor
    let message: JSONNode?
  }

  private func mentions() throws -> [Mention] {
    try rig.others.compactMap { action in
      guard case .mention(let ids, let author, let notification) = action else { return nil }
      let root = try JSONDocument(notification).root
      #expect(root["method"]?.string == "mention.received")
      #expect(root["params"]?["channel_url"]?.string == "lobby")
      return Mention(userIDs: ids, author: author, message: root["params"]?["message"])
    }
  }

  private func send(_ draft: MessageDraft) -> ChannelCommand {
    .send(MessageOrder(.success(draft), requestID: nil))
  }

  @Test("absent users are notified, users in the channel get the event")
  mutating func absent() throws {
    rig.handle(.left(userID: "cat"))
    _ = try rig.perform(.send("x", mentioning: ["ben", "cat", "nobody", "away"]), by: "ann")
    let mention = try #require(try mentions().first)
    #expect(mention.userIDs == ["cat", "away"] && mention.author == .user("ann"))
    #expect(mention.message?["message"]?.string == "x")
  }

  @Test("the message lists mentioned users that exist, in the given order")
  mutating func named() throws {
    let outcome = try rig.perform(.send("x", mentioning: ["cat", "nobody", "ann"]), by: "ben")
    #expect(outcome.sent?.message.mentionedUsers.map(\.id) == ["cat", "ann"])
    let shown = rig.events[0].params?["message"]?["mentioned_users"]?.elements
    #expect(shown?.map { $0["nickname"]?.string } == ["CAT", "ANN"])
    #expect(try mentions().isEmpty)
  }

  @Test("a mention of the whole channel notifies no absent user")
  mutating func channel() throws {
    let draft = MessageDraft(text: "x", mentionType: .channel, mentionedUserIDs: ["away"])
    _ = try rig.perform(send(draft), by: "ann")
    #expect(rig.events[0].params?["message"]?["mention_type"]?.string == "channel")
    #expect(try mentions().isEmpty)
  }

  @Test("a message that was refused, failed or is repeated mentions no user")
  mutating func onlySent() throws {
    #expect(try rig.perform(.send("x", mentioning: ["away"]), by: "away").code == .notInChannel)
    rig.begin(.send("x", mentioning: ["away"]), by: .participant("ann"))
    rig.failNext(.unavailable(""))
    #expect(try mentions().isEmpty)
    for _ in 0..<2 { _ = try rig.perform(.send("x", "r", mentioning: ["away"]), by: "ann") }
    #expect(try mentions().count == 1)
  }

  @Test("mentions in messages of the back end and in admin messages are charged to no user")
  mutating func platform() throws {
    let admin = ChannelCommand.send("x", type: .admin, mentioning: ["away"])
    _ = try rig.perform(admin, by: .platform)
    _ = try rig.perform(
      .send("x", mentioning: ["away"]), by: .platform(onBehalfOf: User(id: "ann")))
    let authors = try mentions().map(\.author)
    #expect(authors == [.platform(onBehalfOf: nil), .platform(onBehalfOf: "ann")])
  }

  @Test("a notice is limited to 8 KiB of message, without data, extra data and preview beyond that")
  mutating func large() throws {
    let link = "https://a.example/page"
    rig = try JudgeRig(previews: [link: .found(OpenGraphTag(title: "A"))])
    let arrays = [MetaArray(key: "k", values: ["v"])]
    for (size, isWhole) in [(6_000, true), (9_000, false)] {
      let draft = MessageDraft(
        text: link, data: String(repeating: "d", count: size), mentionedUserIDs: ["away"],
        metaArrays: arrays)
      _ = try rig.perform(send(draft), by: "ann")
      let message = try #require(try mentions().last?.message)
      #expect(message["message"]?.string == link)
      #expect((message["data"]?.string != "") == isWhole)
      #expect((message["og_tag"]?["og:title"]?.string == "A") == isWhole)
      let shown = message["sorted_metaarray"].map { Array($0.elements).count }
      #expect(shown == (isWhole ? 1 : 0))
      #expect(message["mentioned_users"].map { Array($0.elements).count } == 1)
    }
  }

  @Test("mentions work the same in an ephemeral channel")
  mutating func ephemeral() throws {
    rig = try JudgeRig(ephemeral: true)
    _ = try rig.perform(.send("x", mentioning: ["away", "ben"]), by: "ann")
    #expect(try mentions().map(\.userIDs) == [["away"]])
  }

  @Test("a user who enters before the message is durable gets only the event")
  mutating func entersMeanwhile() throws {
    rig.begin(.send("x", mentioning: ["away"]), by: .participant("ann"))
    rig.enter("away")
    rig.answerAll()
    #expect(try mentions().isEmpty && rig.events.count == 1)
  }
}
