import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Recovered events")
struct RecoveredEventsTests {
  private func message(_ id: Int64, by userID: String?, at time: Int64) -> Message {
    Message(
      id: id, channelURL: "lobby", user: userID.map { User(id: $0) }, text: "text \(id)",
      createdAt: time)
  }

  private func notification(_ event: Event, seq: Int64, at time: Int64) -> [UInt8] {
    event.notification(from: EventOrigin(channelURL: "lobby", seq: seq, timestamp: time))
  }

  private func event(_ message: Message, seq: Int64) -> [UInt8] {
    notification(.messageReceived(EventMessage(message)), seq: seq, at: message.createdAt)
  }

  private func recover(
    _ missed: [DurableEvent], after seq: Int64 = 0, isOperator: Bool = false, limit: Int = 5,
    byteLimit: Int = 500_000,
    isHeld: (Int64) -> Bool = { _ in false }
  ) -> RecoveredEvents? {
    RecoveredEvents(
      missed, for: .init(userID: "ann", isOperator: isOperator, seq: seq, byteLimit: byteLimit),
      in: ChannelInfo(Channel(url: "lobby", createdAt: 0), participantCount: 1),
      limit: RateLimit(count: limit, windowMilliseconds: 1000), at: 5_000, isHeld: isHeld)
  }

  @Test("nothing is recovered if the events exceed the available space")
  func boundsBytes() throws {
    let messages = (Int64(1)...3).map { message($0, by: "ann", at: 100) }
    let missed = messages.map { DurableEvent.received($0, seq: $0.id) }
    let size = event(messages[0], seq: 1).count + 1
    let recovered = try #require(recover(missed, byteLimit: 3 * size))
    #expect(recovered.events.count == 3)
    #expect(recover(missed, byteLimit: 3 * size - 1) == nil)
  }

  @Test("recovery shows what the throttle would have shown, starting with an empty window")
  func throttles() throws {
    let messages = [
      message(1, by: "bob", at: 100), message(2, by: "ann", at: 200),
      message(3, by: "bob", at: 300), message(4, by: nil, at: 400),
      message(5, by: "bob", at: 1100), message(6, by: "bob", at: 1150),
    ]
    let missed = messages.map { DurableEvent.received($0, seq: $0.id) }
    let recovered = try #require(recover(missed, limit: 2))
    let shown = [0, 1, 3, 4].map { event(messages[$0], seq: messages[$0].id) }
    #expect(recovered.events.dropLast() == shown[...])
    let notice = try #require(recovered.events.last.map { try JSONDocument($0).root })
    #expect(notice["method"]?.string == "channel.throttled")
    #expect(notice["params"]?["ts"]?.integer == 5_000)
    #expect(notice["params"]?["withheld"]?.integer == 2)
    #expect(notice["params"]?["first_message_id"]?.integer == 3)
    #expect(notice["params"]?["last_message_id"]?.integer == 6)
    #expect(recovered.withheldIDs == [3, 6])
    #expect(recovered.throttle.withheld == nil)
  }

  @Test("an operator is shown everything")
  func showsOperatorsAll() throws {
    let messages = (Int64(1)...5).map { message($0, by: "bob", at: 100) }
    let recovered = try #require(
      recover(messages.map { .received($0, seq: $0.id) }, isOperator: true, limit: 1))
    #expect(recovered.events.count == 5)
    #expect(recovered.withheldIDs.isEmpty)
  }

  @Test("updates of withheld messages are withheld too; deletions go to every connection")
  func withholdsUpdates() throws {
    let messages = (Int64(1)...2).map { message($0, by: "bob", at: 100) }
    let missed: [DurableEvent] = [
      .received(messages[0], seq: 1), .received(messages[1], seq: 2),
      .updated(messages[1], seq: 3, timestamp: 150), .updated(messages[0], seq: 4, timestamp: 160),
      .deleted(Event.Deletion(messageID: 3), seq: 5, timestamp: 170),
    ]
    let recovered = try #require(recover(missed, limit: 1))
    #expect(
      recovered.events.dropLast() == [
        event(messages[0], seq: 1),
        notification(.messageUpdated(EventMessage(messages[0])), seq: 4, at: 160),
        notification(.messageDeleted(.init(messageID: 3)), seq: 5, at: 170),
      ])
  }

  @Test("a deletion has an ordinal only if the client has counted the message")
  func deletions() throws {
    func deletion(_ id: Int64, arrival: Int64?) -> Event.Deletion {
      var deletion = Event.Deletion(messageID: id)
      (deletion.ordinal, deletion.senderID, deletion.mentions) = (id, "bob", .channel)
      deletion.arrival = arrival
      return deletion
    }
    let missed = zip(Int64(5)..., [Int64(3), 4, nil]).map { seq, arrival in
      DurableEvent.deleted(deletion(seq, arrival: arrival), seq: seq, timestamp: 170)
    }
    let recovered = try #require(recover(missed, after: 3))
    let expected = [Int64(5), 6, 7].map { id in
      var shown = deletion(id, arrival: nil)
      if id == 6 { (shown.ordinal, shown.mentions) = (nil, nil) }
      return notification(.messageDeleted(shown), seq: id, at: 170)
    }
    #expect(recovered.events == expected)
  }

  @Test("several updates of a message are one event, and a delayed update follows later")
  func mergesUpdates() throws {
    let messages = (Int64(1)...3).map { message($0, by: "bob", at: 100) }
    let missed: [DurableEvent] = [
      .updated(messages[0], seq: 5, timestamp: 110), .updated(messages[1], seq: 6, timestamp: 120),
      .updated(messages[0], seq: 7, timestamp: 130), .updated(messages[2], seq: 9, timestamp: 150),
    ]
    let recovered = try #require(recover(missed, byteLimit: 65_536) { $0 == 3 })
    #expect(
      recovered.events
        == [(6, 120, 1), (7, 130, 0)].map { seq, time, index in
          notification(.messageUpdated(EventMessage(messages[index])), seq: seq, at: time)
        })
  }
}
