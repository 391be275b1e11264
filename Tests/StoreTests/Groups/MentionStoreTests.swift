import Channels
import ParleyProtocol
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Unread mentions in the store", .serialized, .onOwnThreads)
struct MentionStoreTests {
  private static let stores = [LogKind.sqlite, .postgreSQL]

  /// A group of ann, bob and cy with messages of ann from number 1 on.
  ///
  /// - Parameter mentions: Of each message; an empty list mentions all members.
  private func den(
    _ kind: LogKind, _ mentions: [[String]]
  ) async throws -> (LogFixture, Store, LogChannel) {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create(inviting: ["bob", "cy"]).state?.place)
    for (index, ids) in mentions.enumerated() {
      var new = fixture.counted(Int64(index + 1), by: "ann")
      new.message.mentionType = ids.isEmpty ? .channel : .users
      new.mentionedUserIDs = ids
      #expect(await fixture.perform(.write(.append(new), den)).error == nil)
    }
    return (fixture, try #require(fixture.store), den)
  }

  private func count(of userID: String, _ fixture: LogFixture, _ den: LogChannel) async -> Int64? {
    await fixture.read(
      .group(channelID: den.id, since: 0, readerID: userID, memberLimit: 0))?.group?.own?
      .mentionCount
  }

  /// The numbers of rows of users and of channels.
  private func rows(_ store: Store) async throws -> [Int64] {
    try await store.read { transaction in
      var counts: [Int64] = []
      for table in ["mentions", "channel_mentions"] {
        let count = try transaction.connection.first("SELECT count(*) FROM \(table)", []) {
          $0[0] as Int64
        }
        counts.append(count ?? -1)
      }
      return counts
    }
  }

  @Test("a message has a row for each user that it mentions, or one for all", arguments: stores)
  func rowCount(_ kind: LogKind) async throws {
    let (fixture, store, den) = try await den(kind, [["ann", "bob", "cy", "bob"], [], ["none"]])
    #expect(try await rows(store) == [2, 1])
    #expect(await count(of: "bob", fixture, den) == 2)
    await fixture.delete(1, in: den)
    #expect(try await rows(store) == [0, 1])
    #expect(await count(of: "bob", fixture, den) == 1)
  }

  @Test("mentions go with expired messages", arguments: stores)
  func expiry(_ kind: LogKind) async throws {
    let (fixture, store, den) = try await den(kind, [["bob"], [], ["bob", "cy"], []])
    #expect(try await store.perform(MessageExpiry(of: .old(den.id, before: 25))) == 2)
    #expect(try await rows(store) == [2, 1])
    #expect(await count(of: "bob", fixture, den) == 2)
    _ = await fixture.changeOwn(.markRead(upTo: nil), of: "bob", in: den)
    #expect(await count(of: "bob", fixture, den) == 0)
    _ = await fixture.changeOwn(.markUnread(from: 3), of: "bob", in: den)
    #expect(await count(of: "bob", fixture, den) == 2)
  }

  @Test("mentions go with their group and with their user", arguments: stores)
  func removal(_ kind: LogKind) async throws {
    let (fixture, store, den) = try await den(kind, [["bob"], [], ["bob", "cy"]])
    _ = await fixture.change(den, .depart(["bob"], .left))
    #expect(try await rows(store) == [3, 1])
    #expect(await count(of: "bob", fixture, den) == nil)
    _ = try await store.write { try $0.deleteUser("bob") }
    #expect(try await rows(store) == [1, 1])
    #expect(await fixture.perform(.write(.remove(at: 30), den)).error == nil)
    try await Deadline.standard.wait(for: "the purge") { try await rows(store) == [0, 0] }
  }

  @Test(
    "who joins again counts the mentions since then, with past messages those it marks",
    arguments: stores)
  func joining(_ kind: LogKind) async throws {
    let (fixture, _, den) = try await den(kind, [["bob", "cy"], []])
    var open = GroupRules()
    open.showsPastMessages = true
    for (userID, rules) in [("bob", GroupRules()), ("cy", open)] {
      _ = await fixture.change(den, .depart([userID], .left))
      _ = await fixture.change(den, .join(userID: userID, visibleFrom: 25, under: rules))
      #expect(await count(of: userID, fixture, den) == 0)
    }
    let marked = await fixture.changeOwn(.markUnread(from: 1), of: "cy", in: den)
    guard case .success(.own(let own)) = marked else { return #expect(Bool(false), "\(marked)") }
    #expect(own.mentionCount == 2)
  }

  @Test("totals and lists have the mentions of groups that count them", arguments: stores)
  func totals(_ kind: LogKind) async throws {
    let (fixture, store, den) = try await den(kind, [["bob"], [], ["cy"]])
    func totals() async throws -> [Int64] {
      let found = try await store.read {
        try $0.unreadTotals(of: "bob", GroupTotals(Fields(query: [:])))
      }
      return [found.unreadMessageCount, found.unreadMentionCount, found.unreadChannelCount]
    }
    for (preference, expected) in [
      (.all, [3, 2, 1]), (.messagesOnly, [3, 0, 1]), (.mentionsOnly, [0, 2, 0]), (.off, [0, 0, 0]),
    ] as [(CountPreference, [Int64])] {
      _ = await fixture.changeOwn(.prefer(preference), of: "bob", in: den)
      #expect(try await totals() == expected, "\(preference)")
    }
    _ = await fixture.changeOwn(.prefer(.all), of: "bob", in: den)
    try await fixture.add(Block(by: "bob", of: "ann"))
    #expect(try await totals() == [3, 0, 1])
    try await fixture.remove(Block(by: "bob", of: "ann"))
    _ = await fixture.changeOwn(.hide(clearing: false, isArchived: true), of: "bob", in: den)
    #expect(try await totals() == [0, 0, 0])
  }

  @Test("a database from before has the mentions of its messages")
  func migration() async throws {
    let (fixture, store, den) = try await den(.sqlite, [["ann", "bob"], [], ["cy"], ["bob"]])
    await fixture.delete(4, in: den)
    let directory = try #require(fixture.directory)
    store.close()
    let file = try Database(path: directory.database)
    try file.execute(
      script: """
        DROP TABLE mentions; DROP TABLE channel_mentions;
        DELETE FROM grdb_migrations WHERE identifier = '26 mentions';
        """)
    file.close()
    let again = try Store(directory: directory.path)
    #expect(try await rows(again) == [2, 1])
    let own = try await again.read { try $0.ownReading(of: "bob", channelID: den.id) }
    #expect(own?.mentionCount == 2)
    again.close()
  }
}
