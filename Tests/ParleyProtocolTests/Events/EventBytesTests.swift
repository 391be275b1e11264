import ParleyProtocol
import Testing

/// An event with the members of its `params`, written out.
struct EventSample: Sendable, CustomTestStringConvertible {
  let name: String
  /// The members before those of the event itself.
  let origin: String
  let members: String
  let notification: [UInt8]

  var testDescription: String { name }
}

extension EventSample {
  private static let origin = EventOrigin(channelURL: "lobby", timestamp: 1_730_000_000_000)

  private static let jeff = User(
    id: "jeff", nickname: "Jeff \"J\"", profileURL: "https://a.b/j.png", metadata: ["team": "red"])
  private static let jeffJSON =
    #"{"user_id":"jeff","nickname":"Jeff \"J\"","profile_url":"https://a.b/j.png"}"#
  private static let ann = User(id: "ann")
  private static let annJSON = #"{"user_id":"ann","nickname":"","profile_url":""}"#

  private static let message = Message(
    id: 17_300_000_000_001, type: .file, channelURL: "lobby", user: jeff, text: "see\n\u{1}語",
    file: MessageFile(url: "https://a.b/f", name: "f", type: "image/png", size: 3),
    data: #"{"a":1}"#, customType: "c", mentionType: .channel, mentionedUsers: [ann],
    metaArrays: [MetaArray(key: "games", values: ["soccer"])],
    openGraphTag: OpenGraphTag(
      title: "T", image: OpenGraphImage(url: "https://a.b/i", width: 12, height: 6)),
    translations: ["ko": "x", "de": "y"], requestID: "r", isOperatorMessage: true,
    createdAt: 1_730_000_000_000, updatedAt: 7)
  private static let messageJSON =
    #"{"type":"FILE","message_id":17300000000001,"channel_url":"lobby","#
    + #""channel_type":"open_channels","user":\#(jeffJSON),"message":"see\n\u0001語","#
    + #""data":"{\"a\":1}","custom_type":"c","mention_type":"channel","#
    + #""mentioned_users":[\#(annJSON)],"sorted_metaarray":[{"key":"games","value":["soccer"]}],"#
    + #""og_tag":{"og:title":"T","og:url":null,"og:description":null,"og:image":"#
    + #"{"url":"https://a.b/i","secure_url":null,"type":null,"width":12,"height":6,"alt":null}},"#
    + #""translations":{"de":"y","ko":"x"},"#
    + #""file":{"url":"https://a.b/f","name":"f","type":"image/png","size":3},"#
    + #""req_id":"r","created_at":1730000000000,"updated_at":7}"#

  private static let channel = Channel(
    url: "lobby", name: "Lobby", coverURL: "https://a.b/c", data: "d", customType: "c",
    isEphemeral: true, isFrozen: true, operators: [jeff], metadata: ["a": "b"], createdAt: 12)
  private static let channelJSON =
    #"{"channel_url":"lobby","name":"Lobby","cover_url":"https://a.b/c","data":"d","#
    + #""custom_type":"c","is_ephemeral":true,"freeze":true,"participant_count":3,"#
    + #""max_length_message":5000,"operators":[\#(jeffJSON)],"created_at":12}"#

  private static let restriction = #""user":\#(jeffJSON),"seconds":-1,"description":"spam, \"x\"""#
  private static let presence = #""user":\#(jeffJSON),"participant_count":3"#

  /// Events that are numbered, which all are posted to webhooks.
  static let durable: [EventSample] = {
    let message = JSONWriter.bytes { Self.message.encode(into: &$0) }
    let channel = JSONWriter.bytes { Self.channel.encode(participantCount: 3, into: &$0) }
    func sample(_ name: String, _ members: String, _ notification: [UInt8]) -> EventSample {
      EventSample(
        name: name, origin: #""channel_url":"lobby","seq":42,"ts":1730000000000"#,
        members: members, notification: notification)
    }
    return [
      sample(
        "message.received", #""message":\#(messageJSON)"#,
        EventEncoder.messageReceived(origin, seq: 42, message: message)),
      sample(
        "message.updated", #""message":\#(messageJSON)"#,
        EventEncoder.messageUpdated(origin, seq: 42, message: message)),
      sample(
        "message.deleted", #""message_id":7"#,
        EventEncoder.messageDeleted(origin, seq: 42, messageID: 7)),
      sample(
        "channel.changed", #""channel":\#(channelJSON)"#,
        EventEncoder.channelChanged(origin, seq: 42, channel: channel)),
      sample(
        "channel.deleted", #""channel":\#(channelJSON)"#,
        EventEncoder.channelDeleted(origin, seq: 42, channel: channel)),
      sample(
        "channel.frozen", #""channel":\#(channelJSON)"#,
        EventEncoder.channelFrozen(origin, seq: 42, channel: channel)),
      sample(
        "channel.unfrozen", #""channel":\#(channelJSON)"#,
        EventEncoder.channelUnfrozen(origin, seq: 42, channel: channel)),
      sample(
        "channel.user_muted", restriction,
        EventEncoder.userMuted(
          origin, seq: 42, user: jeff, seconds: -1, description: "spam, \"x\"")),
      sample(
        "channel.user_unmuted", #""user":\#(jeffJSON)"#,
        EventEncoder.userUnmuted(origin, seq: 42, user: jeff)),
      sample(
        "channel.user_banned", restriction,
        EventEncoder.userBanned(
          origin, seq: 42, user: jeff, seconds: -1, description: "spam, \"x\"")),
      sample(
        "channel.user_unbanned", #""user":\#(jeffJSON)"#,
        EventEncoder.userUnbanned(origin, seq: 42, user: jeff)),
      sample(
        "channel.operators_changed", #""operators":[\#(jeffJSON),\#(annJSON)]"#,
        EventEncoder.operatorsChanged(origin, seq: 42, operators: [jeff, ann])),
    ]
  }()

  /// Events of a channel that have no number.
  static let transient: [EventSample] = {
    let message = JSONWriter.bytes { Self.message.encode(into: &$0) }
    func sample(_ name: String, _ members: String, _ notification: [UInt8]) -> EventSample {
      EventSample(
        name: name, origin: #""channel_url":"lobby","ts":1730000000000"#, members: members,
        notification: notification)
    }
    return [
      sample(
        "channel.user_entered", presence,
        EventEncoder.userEntered(origin, user: jeff, participantCount: 3)),
      sample(
        "channel.user_exited", presence,
        EventEncoder.userExited(origin, user: jeff, participantCount: 3)),
      sample(
        "channel.participant_count", #""participant_count":300"#,
        EventEncoder.participantCount(origin, participantCount: 300)),
      sample(
        "channel.throttled", #""withheld":5,"first_message_id":11,"last_message_id":19"#,
        EventEncoder.throttled(origin, withheld: 5, first: 11, last: 19)),
      sample(
        "mention.received", #""message":\#(messageJSON)"#,
        EventEncoder.mentionReceived(origin, message: message)),
    ]
  }()

  /// Events that belong to no channel.
  static let session = [
    EventSample(
      name: "session.expiring", origin: #""ts":1"#, members: #""expires_at":60001"#,
      notification: EventEncoder.sessionExpiring(at: 1, expiresAt: 60_001)),
    EventSample(
      name: "server.draining", origin: #""ts":1"#, members: #""reconnect_after_ms":250"#,
      notification: EventEncoder.serverDraining(at: 1, reconnectAfter: 250)),
  ]
}

@Suite("The bytes of events")
struct EventBytesTests {
  @Test(
    "on the socket are a notification whose params begin with the event's origin",
    arguments: EventSample.durable + EventSample.transient + EventSample.session)
  func socket(sample: EventSample) {
    #expect(
      String(decoding: sample.notification, as: UTF8.self)
        == #"{"jsonrpc":"2.0","method":"\#(sample.name)","params":{\#(sample.origin),"#
        + #"\#(sample.members)}}"#)
  }

  @Test("in a webhook are the same params after the event's name", arguments: EventSample.durable)
  func webhook(sample: EventSample) throws {
    let kind = try #require(WebhookEvent(rawValue: sample.name))
    #expect(
      String(
        decoding: WebhookEncoder.event(kind, from: sample.notification), as: UTF8.self)
        == #"{"event":"\#(sample.name)",\#(sample.origin),\#(sample.members)}"#)
  }

  @Test("of a channel's creation name it with number 0")
  func created() {
    let channel = Channel(url: "den", name: "Den", createdAt: 12)
    #expect(
      String(decoding: WebhookEncoder.channelCreated(channel), as: UTF8.self)
        == #"{"event":"channel.created","channel_url":"den","seq":0,"ts":12,"channel":"#
        + #"{"channel_url":"den","name":"Den","cover_url":"","data":"","custom_type":"","#
        + #""is_ephemeral":false,"freeze":false,"participant_count":0,"#
        + #""max_length_message":5000,"operators":[],"created_at":12}}"#)
  }

  @Test("are known for every event")
  func all() {
    let samples = EventSample.durable + EventSample.transient + EventSample.session
    #expect(samples.map(\.name).sorted() == EventName.allCases.map(\.rawValue).sorted())
  }
}
