import ParleyProtocol
import Testing

@testable import Channels

@Suite("Recorded events as notifications")
struct RecordedEventTests {
  private let view = ChannelView(
    channel: Channel(url: "lobby", name: "Lobby", createdAt: 0), participantCount: 3)

  private func params(
    _ kind: EventKind, _ payload: String = "{}"
  ) throws -> JSONNode? {
    let event = RecordedEvent(kind: kind, payload: payload, seq: 7, timestamp: 9)
    guard let notification = event.notification(in: view) else { return nil }
    let root = try JSONDocument(notification).root
    #expect(root["method"]?.string == kind.rawValue)
    #expect(root["params"]?["channel_url"]?.string == "lobby")
    #expect(root["params"]?["seq"]?.integer == 7 && root["params"]?["ts"]?.integer == 9)
    return root["params"]
  }

  @Test(
    "events about the channel show it as it is now",
    arguments: [
      EventKind.channelChanged, .channelDeleted, .channelFrozen, .channelUnfrozen,
    ])
  func channels(kind: EventKind) throws {
    let params = try #require(try params(kind))
    #expect(params["channel"]?["name"]?.string == "Lobby")
    #expect(params["channel"]?["participant_count"]?.integer == 3)
  }

  @Test(
    "a mute or ban comes with its length and reason", arguments: [EventKind.userMuted, .userBanned])
  func restrictions(kind: EventKind) throws {
    let payload = #"{"user":{"user_id":"ann"},"seconds":60,"description":"spam"}"#
    let params = try #require(try params(kind, payload))
    #expect(params["user"]?["user_id"]?.string == "ann")
    #expect(params["seconds"]?.integer == 60 && params["description"]?.string == "spam")
  }

  @Test("a lifted mute or ban names the user", arguments: [EventKind.userUnmuted, .userUnbanned])
  func releases(kind: EventKind) throws {
    let params = try #require(try params(kind, #"{"user":{"user_id":"ann"}}"#))
    #expect(params["user"]?["user_id"]?.string == "ann")
  }

  @Test("a change of the operators lists those of that time")
  func operators() throws {
    let payload = #"{"operators":[{"user_id":"ann"},{"user_id":"bob"}]}"#
    let params = try #require(try params(.operatorsChanged, payload))
    let ids = params["operators"]?.elements.map { $0["user_id"]?.string }
    #expect(ids == ["ann", "bob"])
  }

  @Test("records of earlier versions, in the order of the alphabet, are written as today's events")
  func earlier() {
    let user = #""user":{"nickname":"Ann","profile_url":"","user_id":"ann"}"#
    let shown = #""user":{"user_id":"ann","nickname":"Ann","profile_url":""}"#
    let restriction = #"{"description":"a / \"b\"","seconds":-1,\#(user)}"#
    let channel =
      #""channel":{"channel_url":"lobby","name":"Lobby","cover_url":"","data":"","#
      + #""custom_type":"","is_ephemeral":false,"freeze":false,"participant_count":3,"#
      + #""max_length_message":5000,"operators":[],"created_at":0}"#
    let expected: [(EventKind, String, String)] = [
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
    for (kind, payload, members) in expected {
      let event = RecordedEvent(kind: kind, payload: payload, seq: 7, timestamp: 9)
      #expect(
        event.notification(in: view).map { String(decoding: $0, as: UTF8.self) }
          == #"{"jsonrpc":"2.0","method":"\#(kind.rawValue)","params":"#
          + #"{"channel_url":"lobby","seq":7,"ts":9,\#(members)}}"#)
    }
  }

  @Test("what is unreadable or needs its message has no notification")
  func none() throws {
    for kind in [EventKind.userBanned, .userUnmuted, .messageUpdated, .messageDeleted] {
      #expect(try params(kind) == nil)
      #expect(try params(kind, "no JSON") == nil)
    }
    #expect(try params(.operatorsChanged, "[") == nil)
  }
}
