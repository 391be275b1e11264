import Channels
import SQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Recovering events", .onEachDatabase, .onOwnThreads)
struct EventsTests {
  @Test("events are returned in the order of their numbers, with the current messages")
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
    let frozen = LoggedEvent(name: .channelFrozen, payload: "{}", seq: 5, timestamp: 5)
    let one = try #require(first).message
    let three = try #require(third).message
    #expect(one.text == "new")
    #expect(
      events == [
        .received(one, seq: 1), .received(three, seq: 3), .updated(one, seq: 4, timestamp: 4),
        .channel(frozen), .deleted(Event.Deletion(messageID: 2), seq: 7, timestamp: 7),
      ])
    #expect(events?.map(\.seq) == [1, 3, 4, 5, 7])
  }

  @Test("events recorded by earlier versions are read")
  func earlier() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    let payload =
      #"{"description":"loud","seconds":-1,"user":{"nickname":"B","profile_url":"","user_id":"bob"}}"#
    try await fixture.store.write { transaction in
      try transaction.connection.execute(
        """
        INSERT INTO events (channel_id, seq, kind, message_id, payload, ts)
        VALUES (?1, 1, 'channel.user_muted', NULL, ?2, 8), (?1, 2, 'channel.frozen', NULL, '{}', 9)
        """, [id, payload])
      try transaction.connection.execute("UPDATE channels SET last_seq = 2", [])
    }
    let events = try await fixture.store.read { try $0.events(channelID: id, after: 0) }
    let lobby = ChannelInfo(fixture.lobby.channel, participantCount: 2)
    let muted = Event.userMuted(
      .init(user: User(id: "bob", nickname: "B"), seconds: -1, description: "loud"))
    #expect(
      events?.map { $0.notification(in: lobby) } == [
        muted.notification(from: EventOrigin(channelURL: "lobby", seq: 1, timestamp: 8)),
        Event.channelFrozen(lobby).notification(
          from: EventOrigin(channelURL: "lobby", seq: 2, timestamp: 9)),
      ])
  }

  @Test("updates before a position are found by the time of the event at that position")
  func findsRecentUpdates() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.write { transaction in
      for number in Int64(1)...3 {
        _ = try transaction.append(
          NewMessage(
            channelID: id, id: number, userID: "ann", text: "m", createdAt: number * 100))
      }
      for (message, time) in [(Int64(1), Int64(1_000)), (2, 1_500), (1, 2_000), (3, 2_100)] {
        _ = try transaction.updateMessage(
          message, channelID: id, MessageChanges(text: "\(time)"), at: time)
      }
      _ = try transaction.append(
        NewMessage(channelID: id, id: 4, userID: "ann", text: "m", createdAt: 2_500))
      _ = try transaction.deleteMessage(3, channelID: id, at: 2_600)
    }
    func found(_ seq: Int64, limit: Int = 2) async throws -> [Int64]? {
      try await fixture.store.read {
        try $0.recentUpdates(channelID: id, upTo: seq, within: 1_000, limit: limit)?.map(\.seq)
      }
    }
    #expect(try await found(0) == [])
    #expect(try await found(3) == [])
    #expect(try await found(4) == [4])
    #expect(try await found(6) == [5, 6])
    #expect(try await found(6, limit: 1) == nil)
    // The update of a message that was deleted is gone, and so is its event.
    #expect(try await found(7) == [5, 6])
    #expect(try await found(8) == [6])
    #expect(try await found(9) == [6])
    #expect(try await found(99) == [6])
  }

  @Test("the sends of a time range are found with their authors, oldest first")
  func findsRecentSends() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    try await fixture.store.write { transaction in
      for number in Int64(1)...6 {
        _ = try transaction.append(
          NewMessage(
            channelID: id, id: number, type: number == 4 ? .admin : .user,
            userID: number == 4 ? nil : "user-\(number)", text: "m", createdAt: number * 100))
      }
    }
    func found(after time: Int64, limit: Int = 10) async throws -> [RecentSend] {
      try await fixture.store.read {
        try $0.recentSends(channelID: id, after: time, limit: limit)
      }
    }
    let expected = [Int64(3), 5, 6].map { RecentSend(userID: "user-\($0)", createdAt: $0 * 100) }
    #expect(try await found(after: 200) == expected)
    #expect(try await found(after: 0, limit: 2) == expected.suffix(2))
    #expect(try await found(after: 600) == [])
  }

  @Test("recovery is bounded by its limit, and by the creation of the channel")
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

  @Test("numbers have no gaps, whatever records them and whatever fails in between")
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

  @Test("old events are removed, those within the recovery limit stay")
  func prunes() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    let lobby = ChannelInfo(fixture.lobby.channel, participantCount: 0)
    try await fixture.store.write { transaction in
      for time in Int64(1)...3_000 {
        _ = try transaction.record(.channelChanged(lobby), channelID: id, at: time)
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
