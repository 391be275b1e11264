import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Read positions when messages expire and groups are deleted", .serialized, .onOwnThreads)
struct ReadPositionStoreTests {
  /// A group of ann, bob and cy with messages of these authors from number 1 on.
  private func den(
    _ kind: LogKind, _ authors: [String?]
  ) async throws -> (LogFixture, Store, LogChannel) {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create(inviting: ["bob", "cy"]).state?.place)
    try await fixture.post(authors, from: 1, to: den)
    return (fixture, try #require(fixture.store), den)
  }

  private func uncounted(_ store: Store) async throws -> [Int64] {
    try await store.read {
      try $0.connection.all("SELECT ordinal FROM uncounted ORDER BY ordinal", []) { $0[0] as Int64 }
    }
  }

  @Test(
    "expired messages are unread for no member, and their records go",
    arguments: [LogKind.sqlite, .postgreSQL])
  func expiry(_ kind: LogKind) async throws {
    let (fixture, store, den) = try await den(
      kind, ["ann", "bob", "ann", "cy", "bob", "ann", "bob", "ann"])
    for id in [Int64(1), 3, 6] { await fixture.delete(id, in: den) }
    for userID in ["bob", "cy"] {
      _ = await fixture.changeOwn(.markUnread(from: 1), of: userID, in: den)
    }
    _ = await fixture.changeOwn(.markUnread(from: 7), of: "ann", in: den)
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 2, "cy": 4])
    // Two of the five that are there at a time.
    let expiry = MessageExpiry(of: .old(den.id, before: 55), limit: 2)
    #expect(try await store.perform(expiry) == 2)
    #expect(await fixture.state("den")?.floorOrdinal == 4)
    #expect(try await uncounted(store) == [6])
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 1, "cy": 3])
    #expect(try await store.perform(expiry) == 1)
    #expect(try await store.perform(expiry) == 0)
    #expect(await fixture.state("den")?.floorOrdinal == 5)
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 1, "cy": 2])
    let bob = try await fixture.member("bob", of: den)
    #expect(bob.position == ReadPosition(ordinal: 0, readAt: 9, ownAfter: 1))
    let reading = await fixture.read(
      .group(channelID: den.id, since: 0, readerID: nil, memberLimit: 0))
    #expect(reading?.group?.floorOrdinal == 5)
    // What has expired, deleted or not, is no place any more.
    for id in [Int64(1), 4, 5] {
      let result = await fixture.changeOwn(.markRead(upTo: id), of: "bob", in: den)
      #expect(result.error == .missing(.message))
    }
    let result = await fixture.changeOwn(.markRead(upTo: 6), of: "bob", in: den)
    guard case .success(.own(let own)) = result else { return #expect(Bool(false), "\(result)") }
    #expect(own.floorOrdinal == 5)
    #expect(own.member.position == ReadPosition(ordinal: 6, readAt: 60, ownAfter: 1))
    #expect(try await fixture.unread(in: den) == ["ann": 1, "bob": 1, "cy": 2])
    await fixture.delete(7, in: den)
    #expect(try await fixture.unread(in: den) == ["ann": 0, "bob": 1, "cy": 1])
    // All of them.
    #expect(try await store.perform(MessageExpiry(of: .old(den.id, before: 1_000))) == 1)
    #expect(try await fixture.unread(in: den) == ["ann": 0, "bob": 0, "cy": 0])
    #expect(try await uncounted(store) == [])
    try await fixture.post(["ann"], from: 20, to: den)
    #expect(await fixture.state("den")?.lastOrdinal == 9)
    #expect(try await fixture.unread(in: den) == ["ann": 0, "bob": 1, "cy": 1])
  }

  @Test(
    "messages of an open channel and silent ones expire without a floor",
    arguments: [LogKind.sqlite, .postgreSQL])
  func withoutOrdinals(_ kind: LogKind) async throws {
    let (fixture, store, den) = try await den(kind, ["ann"])
    _ = await fixture.write(.append(fixture.message(5, at: 50)))
    _ = await fixture.perform(.write(.append(fixture.message(6, at: 60)), den))
    #expect(try await store.perform(MessageExpiry(of: .old(fixture.lobby.id, before: 100))) == 1)
    #expect(try await store.perform(MessageExpiry(of: .old(den.id, before: 15))) == 1)
    #expect(try await store.perform(MessageExpiry(of: .old(den.id, before: 100))) == 1)
    #expect(await fixture.state("den")?.floorOrdinal == 1)
  }

  @Test(
    "the records of deleted messages are removed with their group",
    arguments: [LogKind.sqlite, .postgreSQL])
  func purge(_ kind: LogKind) async throws {
    let (fixture, store, den) = try await den(kind, ["ann", "ann"])
    let hut = try #require(await fixture.create("hut", inviting: ["bob"]).state?.place)
    try await fixture.post(["ann", "ann", "ann"], from: 3, to: hut)
    for (id, place) in [(1, den), (3, hut), (4, hut)] as [(Int64, LogChannel)] {
      await fixture.delete(id, in: place)
    }
    try await store.write { transaction in
      for ordinal in Int64(100)...1_500 {
        try transaction.connection.execute(
          """
          INSERT INTO uncounted (channel_id, ordinal, message_id, created_at)
          VALUES (?, ?, ?, 1)
          """, [den.id, ordinal, 10_000 + ordinal])
      }
    }
    #expect(await fixture.perform(.write(.remove(at: 30), den)).error == nil)
    try await Deadline.standard.wait(for: "the purge") { try await uncounted(store) == [1, 2] }
    #expect(try await fixture.unread(in: hut) == ["ann": 0, "bob": 1])
  }
}
