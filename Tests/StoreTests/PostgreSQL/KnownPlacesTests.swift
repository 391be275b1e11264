import Channels
import ParleyProtocol
import PostgreSQL
import TestSupport
import Testing

@testable import Store

/// Messages to channels whose places the writer knows, of which nothing is read before they are written.
@Suite("Cached positions of channels in PostgreSQL", .serialized, .onOwnThreads)
struct KnownPlacesTests {
  private let url: String
  private let fixture: LogFixture
  /// Another writer to the same database.
  private let other: PostgreSQLConnection

  init() async throws {
    url = try PostgreSQLDatabase.make()
    fixture = try await LogFixture(.postgreSQL, at: url)
    other = try PostgreSQLConnection(url)
    #expect(await append(fixture.message(1)) == .success(.appended(seq: 1, mentionedUsers: [])))
  }

  private func append(_ message: UnsequencedMessage) async -> LogResult {
    await fixture.write(.append(message))
  }

  /// The answers that the writer has waited for, commits aside.
  private func roundTrips() async throws -> Int {
    try await #require(fixture.store).write { transaction in
      try #require(transaction.connection.session as? PostgreSQLSession).roundTripCount
    }
  }

  /// Runs a body, and counts the answers that the writer waits for.
  private func countRoundTrips(_ body: () async -> Void) async throws -> Int {
    let before = try await roundTrips()
    await body()
    return try await roundTrips() - before
  }

  @Test("messages are written in the round trip of their commit")
  func oneRoundTrip() async throws {
    let (first, second) = (fixture.message(2, requestID: "r"), fixture.message(3))
    let count = try await countRoundTrips {
      #expect(await append(first) == .success(.appended(seq: 2, mentionedUsers: [])))
      #expect(await append(second) == .success(.appended(seq: 3, mentionedUsers: [])))
    }
    #expect(count == 0)
  }

  @Test("a request that may be a repetition is looked up first, and undoes nothing")
  func mayBeRepeated() async throws {
    var (first, again) = (fixture.message(2, requestID: "r"), fixture.message(3, requestID: "r"))
    (first.mayBeRepeated, again.mayBeRepeated) = (true, true)
    let undone = try await undoneCount()
    let count = try await countRoundTrips {
      #expect(await append(first) == .success(.appended(seq: 2, mentionedUsers: [])))
      guard case .success(.repeated) = await append(again) else {
        Issue.record("not repeated")
        return
      }
    }
    #expect(count >= 2)
    #expect(try await undoneCount() == undone)
  }

  private func undoneCount() async throws -> Int {
    try await #require(fixture.store).write { transaction in
      try #require(transaction.connection.session as? PostgreSQLSession).undoneCount
    }
  }

  @Test("messages of a group are written in the round trip of their commit, with their ordinals")
  func groups() async throws {
    let den = try #require(await fixture.create().state?.place)
    func append(_ id: Int64) async -> LogResult {
      var message = fixture.message(id)
      message.isCounted = true
      return await fixture.perform(.write(.append(message), den))
    }
    _ = await append(10)
    let count = try await countRoundTrips {
      for id in Int64(11)...13 { #expect(await append(id).error == nil) }
    }
    #expect(count == 0)
    func ordinals() async throws -> [Int64] {
      let rows = try other.execute(
        "SELECT ordinal FROM messages WHERE message_id >= 10 ORDER BY message_id")
      return (0..<rows.count).map { rows.integer($0, 0) }
    }
    #expect(try await ordinals() == [1, 2, 3, 4])
    // Another writer has appended a message.
    _ = try other.execute(
      "UPDATE channels SET last_seq = 41, last_ordinal = 17 WHERE url = 'den'")
    #expect(await append(14).appendedSeq == 42)
    _ = await fixture.change(den, .freeze(true))
    #expect(await append(15).appendedSeq == 44)
    #expect(try await ordinals() == [1, 2, 3, 4, 18, 19])
    #expect(await fixture.state("den")?.lastOrdinal == 19)
  }

  @Test("a message after those of another writer gets the next number")
  func movedOn() async throws {
    _ = try other.execute("UPDATE channels SET last_seq = 41 WHERE url = 'lobby'")
    #expect(await append(fixture.message(2)) == .success(.appended(seq: 42, mentionedUsers: [])))
    #expect(await append(fixture.message(3)) == .success(.appended(seq: 43, mentionedUsers: [])))
  }

  @Test("nothing is written to a channel that another writer has taken over")
  func takenOver() async throws {
    _ = try other.execute("UPDATE channels SET term = term + 1 WHERE url = 'lobby'")
    #expect(await append(fixture.message(2)) == .failure(.fenced))
    let stored = try other.execute("SELECT count(*) FROM messages").integer(0, 0)
    #expect(stored == 1)
  }

  @Test("nor to a deleted one")
  func gone() async throws {
    _ = try other.execute("DELETE FROM messages")
    _ = try other.execute("DELETE FROM channels WHERE url = 'lobby'")
    #expect(await append(fixture.message(2)) == .failure(.missing(.channel)))
  }

  @Test("an existing message or request is found, and other entries of the batch are written")
  func repeated() async throws {
    let first = fixture.message(2, requestID: "r")
    #expect(await append(first) == .success(.appended(seq: 2, mentionedUsers: [])))
    let results = await fixture.write(
      .append(fixture.message(3)), .append(fixture.message(4, requestID: "r")),
      .append(fixture.message(1)), .append(fixture.message(5)))
    guard case .success(.repeated(let found)) = results[1] else {
      Issue.record("\(results[1])")
      return
    }
    #expect(found.message.id == 2 && found.seq == 2)
    #expect(results[0] == .success(.appended(seq: 3, mentionedUsers: [])))
    #expect(results[2] == .failure(.exists))
    #expect(results[3] == .success(.appended(seq: 4, mentionedUsers: [])))
    #expect(await append(fixture.message(6)) == .success(.appended(seq: 5, mentionedUsers: [])))
  }

  @Test("a request that is too old to be a repetition creates another message")
  func oldRequest() async throws {
    _ = await append(fixture.message(2, requestID: "r"))
    let time = 1_000 + requestIDLifetimeMilliseconds
    let (young, old) = (
      fixture.message(3, requestID: "r", at: time - 1), fixture.message(4, requestID: "r", at: time)
    )
    guard case .success(.repeated) = await append(young) else {
      Issue.record("not repeated")
      return
    }
    #expect(await append(old) == .success(.appended(seq: 3, mentionedUsers: [])))
  }

  @Test("other changes to the channel advance its number")
  func changes() async throws {
    let changes = ChannelChange.freeze(true)
    _ = await fixture.write(.change([changes], at: 2_000))
    #expect(await append(fixture.message(2)) == .success(.appended(seq: 3, mentionedUsers: [])))
    _ = await fixture.write(.delete(messageID: 2, at: 3_000))
    #expect(await append(fixture.message(3)) == .success(.appended(seq: 5, mentionedUsers: [])))
  }

  @Test("positions are dropped one by one, or all after an undo or beyond the limit")
  func forgetting() throws {
    let channels = (Int64(1)...3).map { LogChannel(id: $0, url: "c\($0)", term: 1, lastSeq: 0) }
    let additions = channels.map { MessageAddition(new: fixture.message($0.id), channel: $0) }
    var places = KnownPlaces()
    func isKnown(_ index: Int) -> Bool { places.facts(of: additions[index...index]) != nil }
    func keep() {
      for channel in channels { places.keep([channel.id: .init(term: 1, lastSeq: 7)]) }
    }
    #expect(!isKnown(0))
    keep()
    #expect(places.facts(of: additions[...])?.places[2]?.lastSeq == 7)
    places.forget(2)
    #expect(isKnown(0) && !isKnown(1) && places.facts(of: additions[...]) == nil)
    places.forgetAll(unlessKeptSince: 0)
    #expect(isKnown(0))
    places.forgetAll(unlessKeptSince: 1)
    #expect(!isKnown(0))
    keep()
    let many = (Int64(10)..<10_010).map { ($0, AppendFacts.Place(term: 1, lastSeq: 0)) }
    places.keep(Dictionary(uniqueKeysWithValues: many))
    #expect(!isKnown(0))
    // Of another term, or before an event that is known of.
    places.keep([1: .init(term: 2, lastSeq: 7)])
    #expect(!isKnown(0))
    let ahead = LogChannel(id: 1, url: "c1", term: 2, lastSeq: 8)
    #expect(places.facts(of: [MessageAddition(new: fixture.message(9), channel: ahead)]) == nil)
  }
}
