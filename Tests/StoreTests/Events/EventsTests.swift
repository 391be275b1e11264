import GRDB
import ParleyProtocol
import Testing

@testable import Store

@Suite("Recovering events")
struct EventsTests {
  @Test("events come in the order of their numbers, messages as they are now")
  func recovers() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.write { transaction in
      for number in Int64(1)...3 {
        _ = try transaction.append(
          NewMessage(
            channelID: id, id: number, userID: "ann", text: "m\(number)", createdAt: number))
      }
      _ = try transaction.updateMessage(1, channelID: id, MessageChanges(text: "new"), at: 4)
      _ = try transaction.freezeChannel("lobby", at: 5)
      _ = try transaction.updateMessage(2, channelID: id, MessageChanges(text: "late"), at: 6)
      _ = try transaction.deleteMessage(2, channelID: id, at: 7)
    }
    let (events, first, third) = try await fixture.store.read {
      (
        try $0.events(channelID: id, after: 0), try $0.message(1, channelID: id),
        try $0.message(3, channelID: id)
      )
    }
    let frozen = RecordedEvent(kind: .channelFrozen, payload: "{}", seq: 5, timestamp: 5)
    let one = try #require(first).message
    let three = try #require(third).message
    #expect(one.text == "new")
    #expect(
      events == [
        .received(one, seq: 1), .received(three, seq: 3), .updated(one, seq: 4, timestamp: 4),
        .channel(frozen), .deleted(messageID: 2, seq: 7, timestamp: 7),
      ])
    #expect(events?.map(\.seq) == [1, 3, 4, 5, 7])
  }

  @Test("recovery reaches as far as its limit, and not into another life of the channel")
  func hasReach() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    for number in Int64(1)...310 {
      fixture.store.append(fixture.message(number, at: number)) { _ in }
    }
    try await fixture.store.write { _ in }
    func count(after seq: Int64) async throws -> Int? {
      try await fixture.store.read { try $0.events(channelID: id, after: seq)?.count }
    }
    #expect(try await count(after: 10) == 300)
    #expect(try await count(after: 9) == nil)
    #expect(try await count(after: 309) == 1)
    #expect(try await count(after: 310) == 0)
    #expect(try await count(after: 311) == nil)
    #expect(try await count(after: -1) == nil)
    await #expect(throws: StoreError.notFound(.channel)) {
      try await fixture.store.read { try $0.events(channelID: 99, after: 0) }
    }
  }

  @Test("numbers have no gaps, whatever records them and whatever fails between")
  func countsWithoutGaps() async throws {
    struct Refusal: Error {}
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    for round in Int64(0)..<60 {
      fixture.store.append(fixture.message(1 + round, at: round)) { _ in }
      fixture.store.append(fixture.message(1 + round, at: round)) { _ in }
      fixture.store.write({ transaction in
        _ = try transaction.freezeChannel("lobby", at: round)
        _ = try transaction.unfreezeChannel("lobby", at: round)
        if round.isMultiple(of: 3) { throw Refusal() }
      }) { _ in }
    }
    try await fixture.store.write { _ in }
    let events = try await fixture.store.read { try $0.events(channelID: id, after: 0) }
    #expect(events?.map(\.seq) == Array(1...140))
  }

  @Test("old events are removed, those within reach stay")
  func prunes() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.write { transaction in
      for time in Int64(1)...3_000 {
        _ = try transaction.recordEvent(id, .channelChanged, payload: "{}", at: time)
      }
    }
    let (count, events) = try await fixture.store.read { transaction in
      (
        try transaction.connection.first("SELECT count(*) FROM events", []) { $0[0] as Int },
        try transaction.events(channelID: id, after: 3_000 - EventLog.recoverableCount)
      )
    }
    #expect(count ?? 0 <= Int(EventLog.reach + EventLog.pruningInterval))
    #expect(events?.count == Int(EventLog.recoverableCount))
    #expect(EventLog.reach > EventLog.recoverableCount)
  }
}
