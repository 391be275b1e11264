import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Lanes of the outbox in PostgreSQL", .serialized, .onOwnThreads)
struct OutboxLanesTests {
  private static let channels = ["lobby", "den", "hall"]

  private static func withStore(_ body: (Store, OutboxReceiver) async throws -> Void) async throws {
    var options = StoreOptions(
      logger: LogRecorder().logger,
      outbox: OutboxOptions(
        events: Set(EventName.posted), participantCount: { _ in 0 }, didQueue: { _ in }))
    options.sharing = .shared
    let store = try Store(.postgreSQL(url: try PostgreSQLDatabase.make()), options: options)
    let contents = try await store.perform(OutboxReceiverChange(["https://example.com/"]))
    for time in 1...3 as ClosedRange<Int64> {
      for url in channels {
        let origin = EventOrigin(channelURL: url, seq: time, timestamp: time)
        try await store.perform(
          OutboxAddition(.messageDeleted(Event.Deletion(messageID: time)), from: origin))
      }
    }
    try await body(store, try #require(contents.receivers.first))
    store.close()
  }

  private static func lane(_ url: String) -> OutboxLane { OutboxLane(ofChannel: url) }

  private static func survey(
    _ store: Store, _ lanes: OutboxLanes, _ receiver: OutboxReceiver
  ) async throws -> OutboxSurvey.Findings {
    try await store.perform(OutboxSurvey(of: lanes, for: [receiver.id]), for: .server)
  }

  @Test("a lane is claimed once per term, and a server that lost it is fenced")
  func fence() async throws {
    try await Self.withStore { store, receiver in
      let lane = Self.lane("lobby")
      let free = OutboxLaneRow(lane: lane, serverID: nil, term: 0)
      let hold = OutboxHold(lane: lane, term: 1)
      #expect(try await store.perform(LaneClaim(of: [free], in: .webhooks, by: .max)) == [hold])
      #expect(try await store.perform(LaneClaim(of: [free], in: .webhooks, by: 2)).isEmpty)
      let row = try await Self.survey(store, [], receiver).lanes[lane.number]
      #expect(row == OutboxLaneRow(lane: lane, serverID: .max, term: 1))
      #expect(
        try await store.perform(LaneClaim(of: [row], in: .webhooks, by: 2)) == [
          OutboxHold(lane: lane, term: 2)
        ])
      let advance = OutboxAdvance(receiverID: receiver.id, channelURL: "lobby", eventID: 100)
      let late = try await store.perform(OutboxProgress([advance], in: .lanes([hold])))
      #expect(late.lost == [hold])
      #expect(late.count == 0)
      try await store.perform(LaneRelease(of: [hold], in: .webhooks))
      #expect(try await Self.survey(store, [], receiver).lanes[lane.number].serverID == 2)
      let expiry = OutboxExpiry(
        receiverID: receiver.id, in: OutboxStretch(channelURL: "lobby", after: 0, through: 100),
        before: 100, of: .lanes([hold]))
      #expect(try await store.perform(expiry) == nil)
      let current = OutboxHold(lane: lane, term: 2)
      let removal = try await store.perform(OutboxProgress([advance], in: .lanes([current])))
      #expect(removal.count == 3)
      #expect(removal.lost.isEmpty)
      try await store.perform(LaneRelease(of: [current], in: .webhooks))
      let freed = try await Self.survey(store, [], receiver).lanes[lane.number]
      #expect(freed == OutboxLaneRow(lane: lane, serverID: nil, term: 2))
    }
  }

  @Test("a survey lists the channels of its lanes, and events of lost lanes are not read")
  func reading() async throws {
    try await Self.withStore { store, receiver in
      let lane = Self.lane("den")
      let findings = try await Self.survey(store, [lane], receiver)
      #expect(findings.backlog.map(\.channelURL) == ["den"])
      #expect(findings.eventCount == 3)
      #expect(findings.oldest == 1)
      let all = try await Self.survey(store, .all, receiver)
      #expect(Set(all.backlog.map(\.channelURL)) == Set(Self.channels))
      #expect(all.eventCount == 9)
      let hold = OutboxHold(lane: lane, term: 1)
      let stretch = OutboxStretch(channelURL: "den", after: 0, through: .max)
      let reading = OutboxReading([stretch], in: .lanes([hold]))
      #expect(try await store.perform(reading) == OutboxReading.Batches(events: [[]], lost: [hold]))
      _ = try await store.perform(
        LaneClaim(of: [findings.lanes[lane.number]], in: .webhooks, by: 1))
      let batches = try await store.perform(reading)
      #expect(batches.events.map(\.count) == [3])
      #expect(batches.lost.isEmpty)
    }
  }

  @Test("only events of held lanes are dropped when too many wait")
  func trimming() async throws {
    try await Self.withStore { store, receiver in
      let lane = Self.lane("hall")
      let rows = try await Self.survey(store, [], receiver).lanes
      let holds = try await store.perform(LaneClaim(of: [rows[lane.number]], in: .webhooks, by: 1))
      let lost = OutboxHold(lane: Self.lane("den"), term: 1)
      let removal = try await store.perform(
        OutboxTrimming(count: 100, in: .lanes(holds + [lost])))
      #expect(removal.count == 3)
      #expect(removal.lost == [lost])
      #expect(try await Self.survey(store, .all, receiver).eventCount == 6)
    }
  }
}
