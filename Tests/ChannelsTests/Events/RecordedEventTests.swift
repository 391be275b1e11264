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

  @Test("what is unreadable or needs its message has no notification")
  func none() throws {
    for kind in [EventKind.userBanned, .userUnmuted, .messageUpdated, .messageDeleted] {
      #expect(try params(kind) == nil)
      #expect(try params(kind, "no JSON") == nil)
    }
    #expect(try params(.operatorsChanged, "[") == nil)
  }
}
