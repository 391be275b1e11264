import ParleyProtocol
import Testing

@testable import Channels

@Suite("Events that a stage missed")
struct RepairedEventsTests {
  private let channel = ChannelInfo(Channel(url: "lobby", createdAt: 0), participantCount: 1)
  private let session = SessionAddress(server: 1, shard: 0, connection: 7)

  private func message(
    _ id: Int64, by user: String, named requestID: String = "", _ text: String = ""
  ) -> Message {
    var message = Message(
      id: id, channelURL: "lobby", user: User(id: user), text: text, createdAt: id)
    message.requestID = requestID
    return message
  }

  private func repaired(
    _ missed: [DurableEvent], awaited: [AwaitedSend] = []
  ) -> [ChannelEvent] {
    RepairedEvents(missed, in: 2...9, of: channel, awaited: awaited).list
  }

  @Test("a connection waiting for the response to a send is not shown its message")
  func author() {
    let awaited = [
      AwaitedSend(session: SessionAddress.sample(1), userID: "ann", requestID: "other"),
      AwaitedSend(session: session, userID: "ann", requestID: "r1"),
    ]
    let events = repaired(
      [
        .received(message(1, by: "ann", named: "r1"), seq: 2),
        .received(message(2, by: "ben", named: "r1"), seq: 3),
        .received(message(3, by: "ann"), seq: 4),
      ], awaited: awaited)
    #expect(events.map(\.author) == [session, nil, nil])
  }

  @Test("of two sends without a request ID by one user, each connection awaits one")
  func unnamed() {
    let awaited = [1, 2].map {
      AwaitedSend(session: SessionAddress.sample($0), userID: "ann", requestID: "")
    }
    let events = repaired(
      (1...3).map { .received(message($0, by: "ann"), seq: $0 + 1) }, awaited: awaited)
    #expect(events.map(\.author) == [.sample(1), .sample(2), nil])
  }

  @Test("a message without a request ID that the user sent elsewhere is shown")
  func otherwise() {
    let awaited = [
      AwaitedSend(session: session, userID: "ann", requestID: "", text: "here"),
      AwaitedSend(session: .sample(1), userID: "ann", requestID: "r1", text: "named"),
    ]
    let events = repaired(
      [
        .received(message(1, by: "ann", "elsewhere"), seq: 2),
        .received(message(2, by: "ann", "here"), seq: 3),
        // As it was changed since.
        .received(message(3, by: "ann", named: "r1", "changed"), seq: 4),
      ], awaited: awaited)
    #expect(events.map(\.author) == [nil, session, .sample(1)])
  }

  @Test("several updates of a message become one, and a deleted message has its deletion")
  func updates() {
    let events = repaired([
      .updated(message(1, by: "ann"), seq: 2, timestamp: 5),
      .updated(message(1, by: "ann"), seq: 3, timestamp: 6),
      .deleted(Event.Deletion(messageID: 2), seq: 4, timestamp: 7),
    ])
    #expect(events.map(\.seq) == [3, 4])
  }

  @Test("a deletion has the ordinal of a message that has arrived, and none of one that has not")
  func deletions() {
    let events = repaired(
      [Int64(1), 2].map { arrival -> DurableEvent in
        var deletion = Event.Deletion(messageID: 7)
        (deletion.ordinal, deletion.arrival) = (4, arrival)
        return .deleted(deletion, seq: arrival + 3, timestamp: 7)
      })
    #expect(events.map { $0.params?["ordinal"]?.integer } == [4, nil])
  }

  @Test("known events, and those after the start, are omitted")
  func range() {
    let events = repaired((0..<12).map { .received(message($0, by: "ann"), seq: $0) })
    #expect(events.map(\.seq) == Array(2...9))
  }
}
