import Channels
import ParleyProtocol
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("The outbox of webhooks", .onEachDatabase, .onOwnThreads)
struct OutboxTests {
  /// What was told after commits.
  private final class Arrivals: Sendable {
    let all = Mutex<[OutboxArrival]>([])
    var ids: [Int64] { all.withLock { $0.map(\.eventID) } }
  }

  private struct Refusal: Error {}

  private static func options(
    _ arrivals: Arrivals, _ events: Set<EventName> = Set(EventName.posted)
  ) -> StoreOptions {
    StoreOptions(
      outbox: OutboxOptions(events: events, participantCount: { _ in 3 }) { new in
        arrivals.all.withLock { $0 += new }
      })
  }

  private static func events(
    _ fixture: Fixture, in channelURL: String = "lobby", after: Int64 = 0
  ) async throws -> [JSONNode] {
    let stretch = OutboxStretch(channelURL: channelURL, after: after, through: .max)
    return try await fixture.store.read { try $0.webhookEvents(in: stretch) }
      .map { try JSONDocument($0.body).root }
  }

  /// The lanes of all events; none where there are no lanes.
  private static func lanes(_ transaction: WriteTransaction) throws -> [Int] {
    guard transaction.connection.session.hasLanes else { return [] }
    return try transaction.connection.all("SELECT DISTINCT lane FROM webhook_events", []) {
      $0[0] as Int
    }
  }

  @Test("the database contains only lanes that exist")
  func storedLanes() {
    #expect([0, 63].map { OutboxLane(stored: $0)?.number } == [0, 63])
    #expect([Int.min, -1, 64, .max].allSatisfy { OutboxLane(stored: $0) == nil })
  }

  @Test("an event of every kind is added, with the socket's data")
  func allKinds() async throws {
    let fixture = try await Fixture(options: Self.options(Arrivals()))
    let id = fixture.lobby.id
    try await fixture.store.append(fixture.message(1, "hello"))
    try await fixture.store.write { transaction in
      // Among several servers the one with the channel's lane posts its events.
      let expected =
        transaction.connection.session.hasLanes ? [OutboxLane(ofChannel: "lobby").number] : []
      #expect(expected != [0])
      #expect(try Self.lanes(transaction) == expected)
      // Earlier versions put the events of messages into lane 0.
      if !expected.isEmpty {
        try transaction.connection.execute("UPDATE webhook_events SET lane = 0")
      }
      _ = try transaction.setWebhookReceivers(["http://a.example"])
      #expect(try Self.lanes(transaction) == expected)
    }
    try await fixture.store.write { transaction in
      _ = try transaction.updateMessage(1, channelID: id, MessageChanges(text: "new"), at: 2)
      _ = try transaction.deleteMessage(1, channelID: id, at: 3)
      _ = try transaction.updateChannel("lobby", ChannelChanges(name: "Hall"), at: 4)
      _ = try transaction.freezeChannel("lobby", at: 5)
      _ = try transaction.unfreezeChannel("lobby", at: 6)
      let restriction = Restriction(userID: "bob", startsAt: 7, endsAt: 5_007, description: "why")
      _ = try transaction.mute(channelURL: "lobby", restriction)
      _ = try transaction.unmute(channelURL: "lobby", userID: "bob", at: 8)
      _ = try transaction.ban(channelURL: "lobby", restriction)
      _ = try transaction.unban(channelURL: "lobby", userID: "bob", at: 10)
      _ = try transaction.addOperators("lobby", ["cy"], at: 11)
      _ = try transaction.deleteChannel("lobby", at: 12)
    }
    let events = try await Self.events(fixture)
    #expect(
      events.compactMap { $0["event"]?.string } == [
        "channel.created", "message.received", "message.updated", "message.deleted",
        "channel.changed", "channel.frozen", "channel.unfrozen", "channel.user_muted",
        "channel.user_unmuted", "channel.user_banned", "channel.user_unbanned",
        "channel.operators_changed", "channel.deleted",
      ])
    #expect(events.compactMap { $0["seq"]?.integer } == Array(0...12))
    #expect(events[1]["message"]?["message"]?.string == "hello")
    #expect(events[1]["message"]?["user"]?["nickname"]?.string == "Ann")
    #expect(events[2]["message"]?["message"]?.string == "new")
    #expect(events[4]["channel"]?["name"]?.string == "Hall")
    #expect(events[4]["channel"]?["participant_count"]?.integer == 3)
    #expect(events[7]["seconds"]?.integer == 5)
    #expect(events[7]["description"]?.string == "why")
    #expect(events[11]["operators"]?.elements.map(\.self).count == 1)
    #expect(events[12]["channel"]?["channel_url"]?.string == "lobby")
  }

  @Test("the events of a group are added, with the ordinals of its messages")
  func groups() async throws {
    let fixture = try await Fixture(options: Self.options(Arrivals()))
    try await fixture.store.perform(
      UserChoicesChange(of: "cy", acceptsInvitations: false))
    try await fixture.store.write { transaction in
      let group = Channel(url: "den", createdAt: 5, group: Group(createdBy: User(id: "ann")))
      guard
        case .channel(let state) = try transaction.createGroup(
          group, epoch: "e", inviting: ["bob", "cy"])
      else { throw Refusal() }
      var message = NewMessage(
        channelID: state.id, id: 1, userID: "ann", text: "m", createdAt: 6
      ).unsequenced(in: "den")
      message.isCounted = true
      _ = try transaction.connection.session.makeAppender(for: transaction.connection)
        .append(message, to: state.place)
      _ = try transaction.deleteMessage(1, channelID: state.id, at: 7)
      _ = try transaction.depart(["bob", "cy"], from: "den", .removed, at: 8)
      // Those of an ephemeral group are numbered and posted by its judge, except for its creation.
      var fog = group
      (fog.url, fog.isEphemeral) = ("fog", true)
      _ = try transaction.createGroup(fog, epoch: "e", inviting: ["bob"])
    }
    let events = try await Self.events(fixture, in: "den")
    #expect(
      events.compactMap { $0["event"]?.string } == [
        "group.created", "group.invited", "group.joined", "message.received", "message.deleted",
        "group.left", "group.declined",
      ])
    #expect(events.compactMap { $0["seq"]?.integer } == Array(0...6))
    #expect(events[0]["channel"]?["member_count"]?.integer == 3)
    #expect(events[0]["channel"]?["created_by"]?["nickname"]?.string == "Ann")
    #expect(events[1]["users"]?.elements.map { $0["user_id"]?.string } == ["cy"])
    #expect(events[1]["inviter"]?["nickname"]?.string == "Ann")
    #expect(events[3]["message"]?["ordinal"]?.integer == 1)
    #expect(events[4]["ordinal"]?.integer == 1)
    #expect(events[4]["sender_id"]?.string == "ann")
    #expect(events[5]["reason"]?.string == "removed")
    #expect(events[6]["member_count"]?.integer == 1)
    #expect(
      try await Self.events(fixture, in: "fog").compactMap { $0["event"]?.string }
        == ["group.created"])
    // Deletions in open channels show neither.
    try await fixture.store.append(fixture.message(9))
    try await fixture.store.write { [lobby = fixture.lobby.id] transaction in
      _ = try transaction.deleteMessage(9, channelID: lobby, at: 9)
    }
    let deletion = try #require(try await Self.events(fixture).last)
    #expect(deletion["message_id"]?.integer == 9 && deletion["ordinal"] == nil)
  }

  @Test("a job that is undone undoes its events, and keeps the next job's")
  func rollsBack() async throws {
    let arrivals = Arrivals()
    let fixture = try await Fixture(options: Self.options(arrivals, [.channelFrozen]))
    await #expect(throws: Refusal.self) {
      try await fixture.store.write { transaction in
        _ = try transaction.freezeChannel("lobby", at: 1)
        throw Refusal()
      }
    }
    #expect(arrivals.ids.isEmpty)
    #expect(try await Self.events(fixture).isEmpty)
    try await fixture.store.write { _ = try $0.freezeChannel("lobby", at: 2) }
    #expect(arrivals.ids.count == 1)
    #expect(try await Self.events(fixture).map { $0["ts"]?.integer } == [2])
  }

  @Test("a transaction that the disk refuses leaves neither message nor event")
  func rollsBackTogether() async throws {
    let arrivals = Arrivals()
    let fixture = try await Fixture(options: Self.options(arrivals, [.messageReceived]))
    try await fixture.store.maintain { connection in
      try connection.execute("ALTER TABLE webhook_events RENAME TO hidden")
    }
    await #expect(throws: (any Error).self) {
      try await fixture.store.append(fixture.message(1))
    }
    try await fixture.store.maintain { connection in
      try connection.execute("ALTER TABLE hidden RENAME TO webhook_events")
    }
    let id = fixture.lobby.id
    #expect(try await fixture.store.read { try $0.message(1, channelID: id) } == nil)
    #expect(arrivals.ids.isEmpty)
  }

  @Test("only selected events are added, and none of an ephemeral channel automatically")
  func selects() async throws {
    let fixture = try await Fixture(options: Self.options(Arrivals(), [.channelFrozen]))
    try await fixture.store.append(fixture.message(1))
    try await fixture.store.write { transaction in
      let channel = Channel(url: "fog", isEphemeral: true, createdAt: 1)
      _ = try transaction.createChannel(channel, epoch: "e")
      _ = try transaction.freezeChannel("fog", at: 2)
      _ = try transaction.freezeChannel("lobby", at: 2)
    }
    #expect(try await Self.events(fixture, in: "fog").isEmpty)
    #expect(try await Self.events(fixture).count == 1)
    try await fixture.store.write { transaction in
      let fog = ChannelInfo(Channel(url: "fog", createdAt: 1), participantCount: 0)
      try transaction.queue(
        .channelFrozen(fog), from: EventOrigin(channelURL: "fog", seq: 9, timestamp: 3))
      try transaction.queue(
        .channelUnfrozen(fog), from: EventOrigin(channelURL: "fog", seq: 10, timestamp: 4))
    }
    #expect(try await Self.events(fixture, in: "fog").map { $0["seq"]?.integer } == [9])
  }

  @Test("a batch has at most 100 events, and 256 KiB unless one alone is larger")
  func batches() async throws {
    let fixture = try await Fixture(options: Self.options(Arrivals()))
    try await fixture.store.write { transaction in
      for (count, size) in [(150, 10), (3, 200_000), (1, 300_000)] {
        for _ in 0..<count {
          try transaction.queue(
            .messageReceived, from: EventOrigin(channelURL: "big", seq: 1, timestamp: 1),
            body: [UInt8](repeating: UInt8(ascii: "x"), count: size))
        }
      }
    }
    var counts: [Int] = []
    var after: Int64 = 0
    while true {
      let stretch = OutboxStretch(channelURL: "big", after: after, through: .max)
      let batch = try await fixture.store.read { try $0.webhookEvents(in: stretch) }
      guard let last = batch.last else { break }
      counts.append(batch.count)
      after = last.id
    }
    #expect(counts == [100, 51, 1, 1, 1])
  }
}
