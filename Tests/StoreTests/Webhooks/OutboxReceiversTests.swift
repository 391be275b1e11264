import SQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("The progress of each webhook", .onEachDatabase, .onOwnThreads)
struct OutboxReceiversTests {
  private static func fixture() async throws -> Fixture {
    try await Fixture(
      options: StoreOptions(
        outbox: OutboxOptions(
          events: [.messageReceived], participantCount: { _ in 0 }, didQueue: { _ in })))
  }

  private static func fill(_ fixture: Fixture, _ ids: ClosedRange<Int64>) async throws {
    for id in ids { try await fixture.store.append(fixture.message(id, at: id)) }
  }

  private static func count(_ fixture: Fixture) async throws -> Int? {
    try await fixture.store.read {
      try $0.connection.first("SELECT count(*) FROM webhook_events", []) { $0[0] as Int }
    }
  }

  @Test("an event stays until all URLs have received it")
  func removes() async throws {
    let fixture = try await Self.fixture()
    let receivers = try await fixture.store.write {
      try $0.setWebhookReceivers(["http://a", "http://b"]).receivers
    }
    try await Self.fill(fixture, 1...4)
    func advance(_ place: Int, to id: Int64) async throws -> OutboxRemoval {
      let advance = OutboxAdvance(
        receiverID: receivers[place].id, channelURL: "lobby", eventID: id)
      return try await fixture.store.write { try $0.advanceWebhooks([advance]) }
    }
    #expect(try await advance(0, to: 3) == OutboxRemoval(count: 0, oldest: 1))
    #expect(try await advance(1, to: 2) == OutboxRemoval(count: 2, oldest: 3))
    // A cursor does not go back.
    #expect(try await advance(0, to: 1) == OutboxRemoval(count: 0, oldest: 3))
    let backlogs = try await fixture.store.read { transaction in
      try receivers.map { try transaction.webhookBacklog(receiverID: $0.id) }
    }
    #expect(backlogs == [1, 2])
    #expect(try await advance(0, to: 4).count == 0)
    #expect(try await advance(1, to: 4) == OutboxRemoval(count: 2, oldest: nil))
    let cursors = try await fixture.store.read {
      try $0.connection.first("SELECT count(*) FROM webhook_cursors", []) { $0[0] as Int }
    }
    #expect(cursors == 0)
  }

  @Test("a new URL receives the events from then on; a removed one is forgotten")
  func changesURLs() async throws {
    let fixture = try await Self.fixture()
    _ = try await fixture.store.write { try $0.setWebhookReceivers(["http://a"]) }
    try await Self.fill(fixture, 1...3)
    let both = try await fixture.store.write {
      try $0.setWebhookReceivers(["http://b", "http://a"])
    }
    #expect(both.receivers.map(\.url) == ["http://b", "http://a"])
    #expect(both.backlog.map(\.receiverID) == [both.receivers[1].id])
    #expect(both.backlog.map(\.cursor) == [0])
    #expect(both.backlog.map(\.lastEventID) == [3])
    #expect(both.eventCount == 3)
    try await Self.fill(fixture, 4...5)
    let one = try await fixture.store.write { try $0.setWebhookReceivers(["http://b"]) }
    #expect(one.backlog.map(\.cursor) == [3])
    #expect(one.eventCount == 2)
    let none = try await fixture.store.write { try $0.setWebhookReceivers([]) }
    #expect(none.eventCount == 0)
    #expect(try await Self.count(fixture) == 0)
  }

  @Test("expired events are dropped for one URL, and removed when the others have received them")
  func expires() async throws {
    let fixture = try await Self.fixture()
    let receivers = try await fixture.store.write {
      try $0.setWebhookReceivers(["http://a", "http://b"]).receivers
    }
    try await Self.fill(fixture, 1...5)
    let stretch = OutboxStretch(channelURL: "lobby", after: 1, through: 5)
    let (first, second) = (receivers[0].id, receivers[1].id)
    let (count, through) = try await fixture.store.write { transaction in
      let expiry = try transaction.expireWebhookEvents(
        receiverID: first, in: stretch, before: 4)
      return (expiry?.count, expiry?.through)
    }
    #expect(count == 2)
    #expect(through == 3)
    #expect(try await Self.count(fixture) == 5)
    let removed = try await fixture.store.write { transaction in
      try transaction.expireWebhookEvents(receiverID: second, in: stretch, before: 4)?.removal
    }
    #expect(removed == OutboxRemoval(count: 3, oldest: 4))
    let nothing = try await fixture.store.write { transaction in
      try transaction.expireWebhookEvents(receiverID: second, in: stretch, before: 1) == nil
    }
    #expect(nothing)
  }

  @Test("the oldest are dropped, even if some URLs have not received them")
  func drops() async throws {
    let fixture = try await Self.fixture()
    _ = try await fixture.store.write { try $0.setWebhookReceivers(["http://a"]) }
    try await Self.fill(fixture, 1...5)
    let removal = try await fixture.store.write { try $0.dropOldestWebhookEvents(2) }
    #expect(removal == OutboxRemoval(count: 2, oldest: 3))
  }
}
