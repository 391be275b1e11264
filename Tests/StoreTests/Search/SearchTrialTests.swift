import Channels
import ParleyProtocol
import Search
import TestSupport
import Testing

@testable import Store

@Suite("Searches that many messages match", .onEachDatabase, .onOwnThreads)
struct SearchTrialTests {
  @Test("walking is preferred when many of very many messages match")
  func decides() {
    for (matchCount, messageCount, isWalk) in [
      (256, 10_000, false), (256, 100_000, true), (128, 100_000, false), (128, 1_000_000, true),
      (16, 1_000_000, false), (16, 100_000_000, true), (0, .max, false),
    ] {
      let trial = SearchTrial(messageCount: messageCount, walkCost: 50_000)
      #expect(trial.prefersWalk(matchCount: matchCount, among: 256) == isWalk)
    }
    #expect(!SearchTrial(messageCount: .max, walkCost: 1).prefersWalk(matchCount: 0, among: 0))
  }

  @Test("words that many or very many messages have are found on every page")
  func frequent() async throws {
    let fixture = try await Fixture()
    let hasDocuments = try await fixture.store.read { $0.connection.session.hasTokenDocuments }
    // So many that PostgreSQL has too many for the index, and that SQLite tries to walk.
    let count = hasDocuments ? SearchCandidates.hitLimit * 5 / 4 + 400 : 55_000
    try await fixture.indexAll()
    try await fixture.store.write { transaction in
      try transaction.connection.execute(
        StoreStatement(
          """
          WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ?)
          INSERT INTO messages (message_id, channel_id, seq, type, user_id, text, data,
            custom_type, mention_type, created_at)
          SELECT n, ?, n, 'MESG', 'ann',
            CASE WHEN n % 5 = 0 THEN 'others' ELSE 'common 新年' END || ' words', '', '', 'users', n
          FROM series
          """), [count, fixture.lobby.id])
    }
    try await fillIndex(fixture)
    try await expectAll(of: count, in: fixture)
    guard hasDocuments else { return }
    // With statistics, the number of messages is known.
    try await fixture.store.write { try $0.connection.execute("ANALYZE search_documents") }
    try await expectAll(of: count, in: fixture)
  }

  /// Adds the messages to the index, sooner than its steps do.
  private func fillIndex(_ fixture: Fixture) async throws {
    let places = [SearchPlace.open, .channel(fixture.lobby.id)].map(\.token)
      .joined(separator: " ")
    try await fixture.store.write { transaction in
      let connection = transaction.connection
      if connection.session.hasTokenDocuments {
        try connection.execute(
          StoreStatement(
            """
            INSERT INTO search_documents (message_id, words)
            SELECT message_id, CASE WHEN text LIKE 'others%' THEN 'others words ' || ?
              ELSE 'common words ' || ? || chr(10) || '新年' END
            FROM messages
            """), [places, places])
      } else {
        try connection.execute(
          "INSERT INTO search_messages SELECT message_id, message_id FROM messages")
        try connection.execute(
          StoreStatement(
            """
            INSERT INTO search (rowid, tokens)
            SELECT message_id, replace(text, '新年', '新年 年') || ' ' || ? FROM messages
            ORDER BY message_id
            """), [places])
      }
    }
  }

  private func expectAll(of count: Int, in fixture: Fixture) async throws {
    let ids = (1...Int64(count)).reversed()
    for (query, url, isOther) in [
      ("common", nil, false), ("com", "lobby", false), ("oth", nil, true), ("word", nil, nil),
      ("words 新", nil, false),
    ] as [(String, String?, Bool?)] {
      let expected = ids.lazy.filter { id in isOther.map { $0 == id.isMultiple(of: 5) } ?? true }
      // A busy machine may find less in the time of a search.
      var search = MessageSearch(query, channelURL: url, limit: 40)
      var found: [Int64] = []
      repeat {
        let page = try await fixture.search(search)
        found += page.items
        search.token = page.next
      } while found.count < 60
      #expect(found.prefix(60).elementsEqual(expected.prefix(60)), "\(query)")
    }
  }
}
