import Testing

@testable import ParleyProtocol

@Suite("Webhook bodies")
struct WebhookEncoderTests {
  private func deletion(_ messageID: Int64, seq: Int64) -> [UInt8] {
    Event.messageDeleted(.init(messageID: messageID))
      .webhookEvent(from: EventOrigin(channelURL: "lobby", seq: seq, timestamp: 17))
  }

  @Test("an event has the params of the socket's notification, after its name")
  func event() {
    #expect(
      String(decoding: deletion(9, seq: 4), as: UTF8.self)
        == #"{"event":"message.deleted","channel_url":"lobby","seq":4,"ts":17,"message_id":9}"#)
  }

  @Test("a body contains the events unchanged, in order")
  func body() throws {
    let events = [5, 6].map { deletion(1, seq: $0) }
    let root = try JSONDocument(
      WebhookEncoder.body(id: "d1", createdAt: 3, events: events)
    ).root
    #expect(root["id"]?.string == "d1")
    #expect(root["created_at"]?.integer == 3)
    #expect(root["events"]?.elements.map { $0["seq"]?.integer } == [5, 6])
  }

  @Test("every name except those of creations and reports is that of a socket event")
  func names() {
    let others = EventName.posted.filter { !$0.isDurable }
    let reports: [EventName] = [.messageReport, .userReport, .channelReport]
    #expect(others == [.channelCreated, .groupCreated] + reports)
    let groups = EventName.posted.filter { $0.rawValue.hasPrefix("group.") }
    #expect(groups == [.groupCreated, .groupInvited, .groupJoined, .groupDeclined, .groupLeft])
  }

  @Test("a channel is written as it was created, before its first seq")
  func created() throws {
    let channel = Channel(url: "den", name: "Den", createdAt: 12)
    let event = Event.channelCreated(ChannelInfo(channel, participantCount: 0))
    let origin = EventOrigin(channelURL: "den", seq: 0, timestamp: 12)
    let root = try JSONDocument(event.webhookEvent(from: origin)).root
    #expect(root["event"]?.string == "channel.created")
    #expect(root["seq"]?.integer == 0)
    #expect(root["ts"]?.integer == 12)
    #expect(root["channel"]?["name"]?.string == "Den")
  }
}
