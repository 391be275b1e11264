import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("The bytes in the outbox of webhooks", .onEachDatabase, .onOwnThreads)
struct OutboxBytesTests {
  private static let ann = #"{"user_id":"ann","nickname":"Ann","profile_url":""}"#
  private static let bob = #"{"user_id":"bob","nickname":"Bob","profile_url":""}"#
  private static let cy = #"{"user_id":"cy","nickname":"Cy","profile_url":""}"#

  /// The members of a channel's event.
  private static func channel(
    name: String = "", isFrozen: Bool = false, operators: String = "", count: Int = 3
  ) -> String {
    #""channel":{"channel_url":"lobby","name":"\#(name)","cover_url":"","data":"","#
      + #""custom_type":"","is_ephemeral":false,"freeze":\#(isFrozen),"participant_count":\#(count),"#
      + #""max_length_message":5000,"operators":[\#(operators)],"created_at":1}"#
  }

  private static func message(_ text: String, mentioned: String = "", updatedAt: Int = 0) -> String
  {
    #""message":{"type":"MESG","message_id":1,"channel_url":"lobby","#
      + #""channel_type":"open_channels","user":\#(ann),"message":"\#(text)","data":"","#
      + #""custom_type":"","mention_type":"users","mentioned_users":[\#(mentioned)],"#
      + #""sorted_metaarray":[],"og_tag":null,"translations":{},"file":null,"req_id":"","#
      + #""created_at":1,"updated_at":\#(updatedAt)}"#
  }

  /// An event of the channel `lobby`, written out.
  private static func event(_ name: String, _ seq: Int, at time: Int, _ members: String) -> String {
    #"{"event":"\#(name)","channel_url":"lobby","seq":\#(seq),"ts":\#(time),\#(members)}"#
  }

  /// A change of each kind.
  private static var operations: [LogOperation] {
    let ann = User(id: "ann", nickname: "Ann")
    let message = Message(id: 1, channelURL: "lobby", user: ann, text: "hello", createdAt: 1)
    var edited = message
    edited.text = "new"
    edited.updatedAt = 2
    let mute = Restriction(userID: "bob", startsAt: 7, endsAt: 5_007, description: "why \"x\"")
    let ban = Restriction(userID: "bob", startsAt: 9, endsAt: 60_009)
    return [
      .append(UnsequencedMessage(message, mentionedUserIDs: ["bob", "nobody"])),
      .replace(edited, mentionedUserIDs: ["cy"], at: 2), .delete(messageID: 1, at: 3),
      .change([.fields(ChannelChanges(name: "Hall"))], at: 4),
      .change([.addOperators(["cy", "ann"])], at: 5), .change([.freeze(true)], at: 6),
      .change([.restrict(.mute, mute)], at: 7), .change([.lift(.mute, userID: "bob")], at: 8),
      .change([.restrict(.ban, ban)], at: 9), .change([.lift(.ban, userID: "bob")], at: 10),
      .change([.freeze(false)], at: 11), .change([.removeOperators(["cy"])], at: 12),
      .remove(at: 13),
    ]
  }

  @Test("contain the name, the origin and the socket's data of every event")
  func everyEvent() async throws {
    let options = StoreOptions(
      outbox: OutboxOptions(events: Set(EventName.posted), participantCount: { _ in 3 }) { _ in })
    let fixture = try await LogFixture(.sqlite, options: options)
    for operation in Self.operations { _ = await fixture.write(operation) }
    let store = try #require(fixture.store)
    let stretch = OutboxStretch(channelURL: "lobby", after: 0, through: .max)
    let bodies = try await store.read { try $0.webhookEvents(in: stretch) }
      .map { String(decoding: $0.body, as: UTF8.self) }
    let expected = [
      Self.event("channel.created", 0, at: 1, Self.channel(count: 0)),
      Self.event("message.received", 1, at: 1, Self.message("hello", mentioned: Self.bob)),
      Self.event(
        "message.updated", 2, at: 2, Self.message("new", mentioned: Self.cy, updatedAt: 2)),
      Self.event("message.deleted", 3, at: 3, #""message_id":1"#),
      Self.event("channel.changed", 4, at: 4, Self.channel(name: "Hall")),
      Self.event(
        "channel.operators_changed", 5, at: 5, #""operators":[\#(Self.cy),\#(Self.ann)]"#),
      Self.event(
        "channel.frozen", 6, at: 6,
        Self.channel(name: "Hall", isFrozen: true, operators: "\(Self.cy),\(Self.ann)")),
      Self.event(
        "channel.user_muted", 7, at: 7,
        #""user":\#(Self.bob),"seconds":5,"description":"why \"x\"""#),
      Self.event("channel.user_unmuted", 8, at: 8, #""user":\#(Self.bob)"#),
      Self.event(
        "channel.user_banned", 9, at: 9, #""user":\#(Self.bob),"seconds":60,"description":"""#),
      Self.event("channel.user_unbanned", 10, at: 10, #""user":\#(Self.bob)"#),
      Self.event(
        "channel.unfrozen", 11, at: 11,
        Self.channel(name: "Hall", operators: "\(Self.cy),\(Self.ann)")),
      Self.event("channel.operators_changed", 12, at: 12, #""operators":[\#(Self.ann)]"#),
      Self.event(
        "channel.deleted", 13, at: 13, Self.channel(name: "Hall", operators: Self.ann)),
    ]
    #expect(bodies == expected)
  }

  @Test("are not written for an imported message", arguments: [LogKind.sqlite, .postgreSQL])
  func past(_ kind: LogKind) async throws {
    let options = StoreOptions(
      outbox: OutboxOptions(events: [.messageReceived], participantCount: { _ in 3 }) { _ in })
    let fixture = try await LogFixture(kind, options: options)
    var past = fixture.message(1)
    past.role = .imported
    let results = await fixture.write(.append(past), .append(fixture.message(2)))
    #expect(results.map(\.appendedSeq) == [1, 2])
    let store = try #require(fixture.store)
    let stretch = OutboxStretch(channelURL: "lobby", after: 0, through: .max)
    let bodies = try await store.read { try $0.webhookEvents(in: stretch) }
      .map { String(decoding: $0.body, as: UTF8.self) }
    #expect(bodies.count == 1 && bodies.first?.contains(#""seq":2"#) == true)
  }
}
