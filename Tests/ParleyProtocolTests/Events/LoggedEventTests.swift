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

  @Test("keep of messages and channels nothing but their names and ids")
  func references() throws {
    #expect(
      try LoggedEvent(.messageReceived(.value(message(7))))
        == LoggedEvent(name: .messageReceived, messageID: 7))
    let json = JSONWriter.bytes { message(7).encode(into: &$0) }
    #expect(
      try LoggedEvent(.messageUpdated(.encoded(json)))
        == LoggedEvent(name: .messageUpdated, messageID: 7))
    #expect(
      try LoggedEvent(.messageDeleted(.init(messageID: 7)))
        == LoggedEvent(name: .messageDeleted, messageID: 7))
    #expect(
      try LoggedEvent(.channelFrozen(.value(channel)))
        == LoggedEvent(name: .channelFrozen, payload: "{}"))
    #expect(throws: ResourceError.self) {
      try LoggedEvent(.messageUpdated(.encoded(Array("{}".utf8))))
    }
  }

  @Test("keep of users what the event shows")
  func users() throws {
    #expect(
      try LoggedEvent(
        .userMuted(.init(user: jeff, seconds: 60, description: "loud")))?.payload
        == #"{"user":\#(jeffJSON),"seconds":60,"description":"loud"}"#)
    #expect(
      try LoggedEvent(.userUnbanned(.init(user: jeff)))?.payload == #"{"user":\#(jeffJSON)}"#)
    #expect(
      try LoggedEvent(.operatorsChanged(.init([jeff])))?.payload
        == #"{"operators":[\#(jeffJSON)]}"#)
  }

  @Test("are not there for events without a number")
  func transient() throws {
    #expect(try LoggedEvent(.userEntered(.init(user: jeff, participantCount: 1))) == nil)
    #expect(try LoggedEvent(.channelCreated(.value(channel))) == nil)
    #expect(try LoggedEvent(.serverDraining(.init(reconnectAfter: 1))) == nil)
  }

  @Test("are read from databases of earlier versions")
  func earlier() throws {
    // Their members are in the order of the alphabet.
    let user = #""user":{"nickname":"Jeff","profile_url":"https://a.b/j.png","user_id":"jeff"}"#
    func event(_ name: EventName, _ payload: String?, messageID: Int64? = nil) throws -> Event {
      try LoggedEvent(name: name, messageID: messageID, payload: payload)
        .event(message: messageID.map(message), channel: channel)
    }
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
    #expect(try event(.channelChanged, "{}") == .channelChanged(.value(channel)))
    #expect(try event(.channelDeleted, nil) == .channelDeleted(.value(channel)))
    #expect(
      try event(.messageUpdated, nil, messageID: 7) == .messageUpdated(.value(message(7))))
    #expect(
      try event(.messageDeleted, nil, messageID: 7) == .messageDeleted(.init(messageID: 7)))
  }

  @Test("are refused without their message, and with a payload that is none")
  func refused() {
    #expect(throws: ResourceError("message.updated", member: "message")) {
      try LoggedEvent(name: .messageUpdated, messageID: 7).event(message: nil, channel: channel)
    }
    #expect(throws: ResourceError("channel.user_muted")) {
      try LoggedEvent(name: .userMuted, payload: "{").event(message: nil, channel: channel)
    }
    #expect(throws: ResourceError("channel.user_muted", member: "user")) {
      try LoggedEvent(name: .userMuted, payload: "{}").event(message: nil, channel: channel)
    }
  }
}
