import ParleyProtocol
import Testing

@Suite("Events in the log")
struct LoggedEventTests {
  private let channel = ChannelInfo(Channel(url: "lobby", createdAt: 12), participantCount: 3)
  private let jeff = User(id: "jeff", nickname: "Jeff", profileURL: "https://a.b/j.png")
  private let jeffJSON =
    #"{"user_id":"jeff","nickname":"Jeff","profile_url":"https://a.b/j.png"}"#

  private func message(_ id: Int64) -> Message {
    Message(id: id, channelURL: "lobby", user: jeff, text: "x", createdAt: 1)
  }

  private func logged(_ event: Event) -> LoggedEvent? {
    LoggedEvent(event, seq: 4, timestamp: 5)
  }

  private func loggedDeletion(_ deletion: Event.Deletion) -> LoggedEvent {
    var logged = LoggedEvent(name: .messageDeleted, messageID: 7, seq: 4, timestamp: 5)
    logged.deletion = deletion
    return logged
  }

  @Test("keep only the names and IDs of messages and channels")
  func references() {
    #expect(
      logged(.messageReceived(EventMessage(message(7))))
        == LoggedEvent(name: .messageReceived, messageID: 7, seq: 4, timestamp: 5))
    #expect(
      logged(.messageUpdated(EventMessage(encoding: message(7))))
        == LoggedEvent(name: .messageUpdated, messageID: 7, seq: 4, timestamp: 5))
    #expect(logged(.messageDeleted(.init(messageID: 7))) == loggedDeletion(.init(messageID: 7)))
    #expect(
      logged(.channelFrozen(channel))
        == LoggedEvent(name: .channelFrozen, payload: "{}", seq: 4, timestamp: 5))
  }

  @Test("keep the user fields that the event shows")
  func users() {
    #expect(
      logged(.userMuted(.init(user: jeff, seconds: 60, description: "loud")))?.payload
        == #"{"user":\#(jeffJSON),"seconds":60,"description":"loud"}"#)
    #expect(logged(.userUnbanned(.init(user: jeff)))?.payload == #"{"user":\#(jeffJSON)}"#)
    #expect(
      logged(.operatorsChanged(.init([jeff])))?.payload == #"{"operators":[\#(jeffJSON)]}"#)
  }

  @Test("keep ordinal and author of a deleted message, and the counts of a group")
  func groups() throws {
    var message = message(7)
    message.ordinal = 3
    let deletion = Event.Deletion(of: message)
    #expect(deletion.ordinal == 3 && deletion.senderID == "jeff")
    #expect(logged(.messageDeleted(deletion)) == loggedDeletion(deletion))
    let membership = Event.Membership(of: jeff, memberCount: 3, joinedCount: 2)
    let members = #""user":\#(jeffJSON),"member_count":3,"joined_member_count":2"#
    #expect(logged(.groupJoined(membership))?.payload == "{\(members)}")
    #expect(logged(.groupDeclined(membership))?.payload == "{\(members)}")
    #expect(
      logged(.groupLeft(.init(membership, .deletedUser)))?.payload
        == #"{\#(members),"reason":"deleted_user"}"#)
    var group = channel
    group.channel.group = Group(createdBy: User(id: "jeff"), memberCount: 3, joinedCount: 1)
    group.participantCount = 0
    let invitation = Event.groupInvited(.init(by: nil, of: [jeff], to: group))
    let payload = try #require(logged(invitation)?.payload)
    #expect(payload.hasPrefix(#"{"inviter":null,"users":[\#(jeffJSON)],"channel":{"#))
    #expect(
      try event(.groupInvited, payload) == .groupInvited(.init(by: nil, of: [jeff], to: channel)))
    #expect(try Event(.groupInvited, params: JSONDocument(Array(payload.utf8)).root) == invitation)
  }

  @Test("do not exist for events without a number")
  func transient() {
    #expect(logged(.groupCreated(channel)) == nil && logged(.groupReady(.init(token: "t"))) == nil)
    #expect(logged(.groupLost(.init(.left))) == nil)
    #expect(logged(.userEntered(.init(user: jeff, participantCount: 1))) == nil)
    #expect(logged(.channelCreated(channel)) == nil)
    #expect(logged(.serverDraining(.init(reconnectAfter: 1))) == nil)
  }

  private func event(_ name: EventName, _ payload: String?) throws -> Event {
    try LoggedEvent(name: name, payload: payload, seq: 4, timestamp: 5).event(in: channel)
  }

  @Test("are read from databases of earlier versions")
  func earlier() throws {
    // Their members are in the order of the alphabet.
    let user = #""user":{"nickname":"Jeff","profile_url":"https://a.b/j.png","user_id":"jeff"}"#
    #expect(
      try event(.userMuted, #"{"description":"a / b","seconds":-1,\#(user)}"#)
        == .userMuted(.init(user: jeff, seconds: -1, description: "a / b")))
    #expect(
      try event(.userBanned, #"{"description":"","seconds":60,\#(user)}"#)
        == .userBanned(.init(user: jeff, seconds: 60, description: "")))
    #expect(try event(.userUnmuted, "{\(user)}") == .userUnmuted(.init(user: jeff)))
    #expect(try event(.userUnbanned, "{\(user)}") == .userUnbanned(.init(user: jeff)))
    #expect(
      try event(
        .operatorsChanged,
        #"{"operators":[{"nickname":"","profile_url":"","user_id":"ann"}]}"#)
        == .operatorsChanged(.init([User(id: "ann")])))
    #expect(try event(.channelChanged, "{}") == .channelChanged(channel))
    #expect(try event(.channelDeleted, nil) == .channelDeleted(channel))
  }

  @Test("are refused without their message, and with an invalid payload")
  func refused() {
    #expect(throws: ResourceError("message.updated", member: "message")) {
      try event(.messageUpdated, nil)
    }
    #expect(throws: ResourceError("channel.user_muted")) { try event(.userMuted, "{") }
    #expect(throws: ResourceError("channel.user_muted", member: "user")) {
      try event(.userMuted, "{}")
    }
  }
}
