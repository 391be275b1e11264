import Channels
import SQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Channels in the store", .onEachDatabase, .onOwnThreads)
struct ChannelsTests {
  @Test("a channel is read back as it was created, operators with their profiles")
  func creates() async throws {
    let fixture = try await Fixture()
    let channel = Channel(
      url: "den", name: "Den", coverURL: "https://a.b/c", data: "{}", customType: "game",
      isEphemeral: true, isFrozen: true,
      operators: [User(id: "bob", nickname: "Bob"), User(id: "ann", nickname: "Ann")],
      survivalSeconds: 3_600, createdAt: 42)
    let made = try await fixture.store.write { try $0.createChannel(channel, epoch: "e1") }
    #expect(made.channel == channel)
    #expect(made.epoch == "e1")
    #expect(made.lastSeq == 0)
    #expect(try await fixture.store.read { try $0.channel("den") } == made)
    #expect(try await fixture.store.read { try $0.channel("DEN") } == nil)
    let listed = try await fixture.store.read { try $0.listChannels(ChannelQuery(urls: ["den"])) }
    #expect(listed.channels == [channel])
  }

  @Test("a URL that is taken, or an operator who is not a user, is refused")
  func refuses() async throws {
    let fixture = try await Fixture()
    await #expect(throws: StoreError.exists) {
      try await fixture.store.write {
        try $0.createChannel(Channel(url: "lobby", createdAt: 1), epoch: "e")
      }
    }
    await #expect(throws: StoreError.noUser("nobody")) {
      try await fixture.store.write {
        let channel = Channel(url: "den", operators: [User(id: "nobody")], createdAt: 1)
        return try $0.createChannel(channel, epoch: "e")
      }
    }
    #expect(try await fixture.store.read { try $0.channel("den") } == nil)
  }

  @Test("a change is recorded, unless the new value equals the old")
  func updates() async throws {
    let fixture = try await Fixture()
    let changed = try await fixture.store.write {
      try $0.updateChannel("lobby", ChannelChanges(name: "Hall", data: "d"), at: 5)
    }
    #expect(changed.channel.name == "Hall")
    #expect(changed.channel.data == "d")
    let expected = LoggedEvent(name: .channelChanged, payload: "{}", seq: 1, timestamp: 5)
    #expect(changed.event == expected)
    let same = try await fixture.store.write {
      try $0.updateChannel("lobby", ChannelChanges(name: "Hall"), at: 6)
    }
    #expect(same.event == nil)
    #expect(same.channel == changed.channel)
    await #expect(throws: StoreError.notFound(.channel)) {
      try await fixture.store.write { try $0.updateChannel("nowhere", ChannelChanges(), at: 1) }
    }
  }

  @Test("freezing and unfreezing are recorded once each")
  func freezes() async throws {
    let fixture = try await Fixture()
    let kinds = try await fixture.store.write { transaction in
      try [
        transaction.freezeChannel("lobby", at: 1), transaction.freezeChannel("lobby", at: 2),
        transaction.unfreezeChannel("lobby", at: 3), transaction.unfreezeChannel("lobby", at: 4),
      ].map { $0.event?.name }
    }
    #expect(kinds == [.channelFrozen, nil, .channelUnfrozen, nil])
  }

  @Test("deleting a channel deletes all its data, and its URL can be used again")
  func deletes() async throws {
    let fixture = try await Fixture()
    try await fixture.store.append(fixture.message(9))
    let deleted = try await fixture.store.write { transaction in
      _ = try transaction.addOperators("lobby", ["ann"], at: 2)
      _ = try transaction.ban(
        channelURL: "lobby", Restriction(userID: "cy", startsAt: 1, endsAt: 100))
      return try transaction.deleteChannel("lobby", at: 3)
    }
    #expect(deleted.event?.name == .channelDeleted)
    #expect(deleted.event?.seq == 4)
    let (again, maximum) = try await fixture.store.write { transaction in
      let again = try transaction.createChannel(
        Channel(url: "lobby", createdAt: 4), epoch: "second")
      return (again, try transaction.maximumMessageID())
    }
    #expect(again.id != fixture.lobby.id)
    #expect(again.lastSeq == 0)
    #expect(again.bans.isEmpty)
    #expect(again.channel.operators.isEmpty)
    #expect(maximum == 9)
    let counts = try await fixture.store.read { transaction in
      try ["bans", "channel_operators"].map { table in
        try transaction.connection.first("SELECT count(*) FROM \(table)", []) { $0[0] as Int }
      }
    }
    #expect(counts == [0, 0])
  }

  @Test("operators are kept in the order in which they were added")
  func changesOperators() async throws {
    let fixture = try await Fixture()
    let added = try await fixture.store.write {
      try $0.addOperators("lobby", ["cy", "ann", "cy"], at: 1)
    }
    #expect(added.channel.operators.map(\.id) == ["cy", "ann"])
    #expect(
      try added.event?.event()
        == .operatorsChanged(
          .init([User(id: "cy", nickname: "Cy"), User(id: "ann", nickname: "Ann")])))
    let more = try await fixture.store.write { transaction in
      _ = try transaction.removeOperators("lobby", ["cy", "bob"], at: 2)
      return try transaction.addOperators("lobby", ["bob", "cy"], at: 3)
    }
    #expect(more.channel.operators.map(\.id) == ["ann", "bob", "cy"])
    let same = try await fixture.store.write { try $0.addOperators("lobby", ["bob"], at: 4) }
    #expect(same.event == nil)
    let none = try await fixture.store.write { try $0.removeAllOperators("lobby", at: 5) }
    #expect(none.channel.operators.isEmpty)
    #expect(none.event?.seq == 4)
    await #expect(throws: StoreError.noUser("nobody")) {
      try await fixture.store.write { try $0.addOperators("lobby", ["ann", "nobody"], at: 6) }
    }
    let now = try await fixture.store.read { try $0.channel("lobby") }
    #expect(now?.channel.operators.isEmpty == true)
  }
}
