import ParleyProtocol
import Testing

@Suite("Events")
struct EventNotificationTests {
  private let origin = EventOrigin(channelURL: "lobby", timestamp: 1_730_000_000_000)
  private let numbered = EventOrigin(
    channelURL: "lobby", seq: 42, timestamp: 1_730_000_000_000)
  private let jeff = User(id: "jeff")
  private let userJSON = #"{"user_id":"jeff","nickname":"","profile_url":""}"#

  private func event(
    _ name: String, _ params: String, durable: Bool = true
  ) -> String {
    let seq = durable ? #""seq":42,"# : ""
    return #"{"jsonrpc":"2.0","method":"\#(name)","params":{"channel_url":"lobby","#
      + seq + #""ts":1730000000000,\#(params)}}"#
  }

  private func text(_ event: Event, _ origin: EventOrigin) -> String {
    String(decoding: event.notification(from: origin), as: UTF8.self)
  }

  @Test("a message's events contain it as it was encoded")
  func messages() {
    let message = EventMessage(
      encoding: Message(id: 1, channelURL: "lobby", user: nil, text: "x", createdAt: 1))
    let params = #""message":"# + String(decoding: message.json, as: UTF8.self)
    #expect(text(.messageReceived(message), numbered) == event("message.received", params))
    #expect(text(.messageUpdated(message), numbered) == event("message.updated", params))
    #expect(
      text(.messageDeleted(.init(messageID: 7)), numbered)
        == event("message.deleted", #""message_id":7"#))
    #expect(
      text(.mentionReceived(message), origin)
        == event("mention.received", params, durable: false))
  }

  @Test("withheld messages are reported with their count and range")
  func throttled() {
    let range = Event.Throttling(withheld: 5, firstMessageID: 11, lastMessageID: 19)
    #expect(
      text(.throttled(range), origin)
        == event(
          "channel.throttled", #""withheld":5,"first_message_id":11,"last_message_id":19"#,
          durable: false))
  }

  @Test("a channel's events contain it")
  func channels() {
    let info = ChannelInfo(Channel(url: "lobby", name: "x", createdAt: 1), participantCount: 2)
    let params = #""channel":"# + String(decoding: info.encoded(), as: UTF8.self)
    #expect(text(.channelChanged(info), numbered) == event("channel.changed", params))
    #expect(text(.channelDeleted(info), numbered) == event("channel.deleted", params))
    #expect(text(.channelFrozen(info), numbered) == event("channel.frozen", params))
    #expect(text(.channelUnfrozen(info), numbered) == event("channel.unfrozen", params))
  }

  @Test("mutes and bans contain the user, the duration and the reason")
  func moderation() {
    let restriction = Event.Restriction(user: jeff, seconds: -1, description: "spam")
    let params = #""user":\#(userJSON),"seconds":-1,"description":"spam""#
    #expect(text(.userMuted(restriction), numbered) == event("channel.user_muted", params))
    #expect(text(.userBanned(restriction), numbered) == event("channel.user_banned", params))
    let user = #""user":\#(userJSON)"#
    #expect(
      text(.userUnmuted(.init(user: jeff)), numbered) == event("channel.user_unmuted", user))
    #expect(
      text(.userUnbanned(.init(user: jeff)), numbered) == event("channel.user_unbanned", user))
    #expect(
      text(.operatorsChanged(.init([jeff])), numbered)
        == event("channel.operators_changed", #""operators":[\#(userJSON)]"#))
  }

  @Test("an invitation contains inviter, users and group, the others users and numbers of members")
  func groups() {
    let group = Group(createdBy: jeff, memberCount: 3, joinedCount: 2)
    let info = ChannelInfo(
      Channel(url: "lobby", createdAt: 1, group: group), participantCount: 0)
    let channel = #""channel":"# + String(decoding: info.encoded(), as: UTF8.self)
    #expect(
      text(.groupInvited(.init(by: jeff, of: [jeff], to: info)), numbered)
        == event("group.invited", #""inviter":\#(userJSON),"users":[\#(userJSON)],\#(channel)"#))
    #expect(
      text(.groupInvited(.init(by: nil, of: [], to: info)), numbered)
        == event("group.invited", #""inviter":null,"users":[],\#(channel)"#))
    let membership = Event.Membership(of: jeff, memberCount: 3, joinedCount: 2)
    let params = #""user":\#(userJSON),"member_count":3,"joined_member_count":2"#
    #expect(text(.groupJoined(membership), numbered) == event("group.joined", params))
    #expect(text(.groupDeclined(membership), numbered) == event("group.declined", params))
    for reason in DepartureReason.allCases {
      let why = #""reason":"\#(reason.rawValue)""#
      #expect(
        text(.groupLeft(.init(membership, reason)), numbered)
          == event("group.left", "\(params),\(why)"))
      #expect(
        text(.groupLost(.init(reason)), origin) == event("group.lost", why, durable: false))
    }
    #expect(
      text(.groupReady(.init(token: "t")), .session(at: 1))
        == #"{"jsonrpc":"2.0","method":"group.ready","params":{"ts":1,"token":"t"}}"#)
  }

  @Test("the deletion of a message of a group contains its ordinal and its author")
  func deletion() {
    var message = Message(id: 7, channelURL: "lobby", user: jeff, text: "x", createdAt: 1)
    #expect(
      text(.messageDeleted(.init(of: message)), numbered)
        == event("message.deleted", #""message_id":7"#))
    message.ordinal = 0
    #expect(
      text(.messageDeleted(.init(of: message)), numbered)
        == event("message.deleted", #""message_id":7,"ordinal":0,"sender_id":"jeff""#))
    message.user = nil
    #expect(
      text(.messageDeleted(.init(of: message)), numbered)
        == event("message.deleted", #""message_id":7,"ordinal":0"#))
  }

  @Test("presence events have no seq")
  func presence() {
    let presence = Event.Presence(user: jeff, participantCount: 3)
    let params = #""user":\#(userJSON),"participant_count":3"#
    #expect(
      text(.userEntered(presence), origin)
        == event("channel.user_entered", params, durable: false))
    #expect(
      text(.userExited(presence), origin)
        == event("channel.user_exited", params, durable: false))
    #expect(
      text(.participantCount(.init(300)), origin)
        == event("channel.participant_count", #""participant_count":300"#, durable: false))
  }

  @Test("events of a session contain no channel")
  func sessions() {
    #expect(
      text(.sessionExpiring(.init(expiresAt: 60_001)), .session(at: 1))
        == #"{"jsonrpc":"2.0","method":"session.expiring","params":{"ts":1,"expires_at":60001}}"#)
    #expect(
      text(.serverDraining(.init(reconnectAfter: 250)), .session(at: 1))
        == #"{"jsonrpc":"2.0","method":"server.draining","#
        + #""params":{"ts":1,"reconnect_after_ms":250}}"#)
  }

  @Test("an event is read back as a notification of a known name")
  func decoding() throws {
    let bytes = Event.messageDeleted(.init(messageID: 7)).notification(from: numbered)
    guard case .notification(let method, let params) = try RPCOutput.parse(bytes).first else {
      Issue.record("no notification")
      return
    }
    #expect(EventName(rawValue: method) == .messageDeleted)
    #expect(params?["message_id"]?.integer == 7)
  }
}
