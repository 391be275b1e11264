import ParleyProtocol
import Testing

@testable import Channels

@Suite("Durable events as notifications")
struct DurableEventTests {
  private let info = ChannelInfo(
    Channel(url: "lobby", name: "Lobby", createdAt: 0), participantCount: 3)

  private func notification(_ name: EventName, _ payload: String?) -> [UInt8]? {
    let logged = LoggedEvent(name: name, payload: payload, seq: 7, timestamp: 9)
    return DurableEvent.channel(logged).notification(in: info)
  }

  private func params(
    _ name: EventName, _ payload: String = "{}"
  ) throws -> JSONNode? {
    guard let notification = notification(name, payload) else { return nil }
    let root = try JSONDocument(notification).root
    #expect(root["method"]?.string == name.rawValue)
    #expect(root["params"]?["channel_url"]?.string == "lobby")
    #expect(root["params"]?["seq"]?.integer == 7 && root["params"]?["ts"]?.integer == 9)
    return root["params"]
  }

  @Test(
    "channel events show the channel's current state",
    arguments: [
      EventName.channelChanged, .channelDeleted, .channelFrozen, .channelUnfrozen,
    ])
  func channels(name: EventName) throws {
    let params = try #require(try params(name))
    #expect(params["channel"]?["name"]?.string == "Lobby")
    #expect(params["channel"]?["participant_count"]?.integer == 3)
  }

  @Test(
    "mute and ban events include the duration and the reason",
    arguments: [EventName.userMuted, .userBanned])
  func restrictions(name: EventName) throws {
    let payload = #"{"user":{"user_id":"ann"},"seconds":60,"description":"spam"}"#
    let params = try #require(try params(name, payload))
    #expect(params["user"]?["user_id"]?.string == "ann")
    #expect(params["seconds"]?.integer == 60 && params["description"]?.string == "spam")
  }

  @Test(
    "events that lift a mute or ban name the user",
    arguments: [EventName.userUnmuted, .userUnbanned])
  func releases(name: EventName) throws {
    let params = try #require(try params(name, #"{"user":{"user_id":"ann"}}"#))
    #expect(params["user"]?["user_id"]?.string == "ann")
  }

  @Test("operator changes list the operators of that time")
  func operators() throws {
    let payload = #"{"operators":[{"user_id":"ann"},{"user_id":"bob"}]}"#
    let params = try #require(try params(.operatorsChanged, payload))
    let ids = params["operators"]?.elements.map { $0["user_id"]?.string }
    #expect(ids == ["ann", "bob"])
  }

  @Test("message events show the current message, or are omitted if it was deleted")
  func messages() {
    let message = Message(id: 7, channelURL: "lobby", user: nil, text: "x", createdAt: 1)
    func durable(_ name: EventName, _ id: Int64) -> DurableEvent? {
      let logged = LoggedEvent(name: name, messageID: id, seq: 4, timestamp: 5)
      return DurableEvent(logged) { $0 == 7 ? message : nil }
    }
    let updated = durable(.messageUpdated, 7)
    #expect(updated == .updated(message, seq: 4, timestamp: 5))
    #expect(durable(.messageUpdated, 8) == nil)
    #expect(
      durable(.messageDeleted, 8) == .deleted(Event.Deletion(messageID: 8), seq: 4, timestamp: 5))
    let origin = EventOrigin(channelURL: "lobby", seq: 4, timestamp: 5)
    #expect(
      updated?.notification(in: info)
        == Event.messageUpdated(EventMessage(message)).notification(from: origin))
  }

  @Test("records of earlier versions, with sorted keys, are converted to today's format")
  func earlier() {
    let user = #""user":{"nickname":"Ann","profile_url":"","user_id":"ann"}"#
    let shown = #""user":{"user_id":"ann","nickname":"Ann","profile_url":""}"#
    let restriction = #"{"description":"a / \"b\"","seconds":-1,\#(user)}"#
    let channel =
      #""channel":{"channel_url":"lobby","name":"Lobby","cover_url":"","data":"","#
      + #""custom_type":"","is_ephemeral":false,"freeze":false,"participant_count":3,"#
      + #""max_length_message":5000,"operators":[],"created_at":0}"#
    let expected: [(EventName, String, String)] = [
      (.userMuted, restriction, #"\#(shown),"seconds":-1,"description":"a / \"b\"""#),
      (.userBanned, restriction, #"\#(shown),"seconds":-1,"description":"a / \"b\"""#),
      (.userUnmuted, "{\(user)}", shown), (.userUnbanned, "{\(user)}", shown),
      (
        .operatorsChanged, #"{"operators":[{"nickname":"","profile_url":"","user_id":"bob"}]}"#,
        #""operators":[{"user_id":"bob","nickname":"","profile_url":""}]"#
      ),
      (.channelChanged, "{}", channel), (.channelFrozen, "{}", channel),
      (.channelUnfrozen, "{}", channel), (.channelDeleted, "{}", channel),
    ]
    for (name, payload, members) in expected {
      #expect(
        notification(name, payload).map { String(decoding: $0, as: UTF8.self) }
          == #"{"jsonrpc":"2.0","method":"\#(name.rawValue)","params":"#
          + #"{"channel_url":"lobby","seq":7,"ts":9,\#(members)}}"#)
    }
  }

  @Test("unreadable records, and records whose message is missing, have no notification")
  func none() throws {
    for name in [EventName.userBanned, .userUnmuted, .messageUpdated, .messageDeleted] {
      #expect(try params(name) == nil)
      #expect(try params(name, "no JSON") == nil)
    }
    #expect(try params(.operatorsChanged, "[") == nil)
  }
}
