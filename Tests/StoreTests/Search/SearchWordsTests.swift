import Channels
import ParleyProtocol
import PostgreSQL
import Search
import TestSupport
import Testing

@testable import Store

@Suite("The words of messages in PostgreSQL", .onOwnThreads)
struct SearchWordsTests {
  @Test("the tokens made of the words of a message are those of its text")
  func tokens() throws {
    let connection = try PostgreSQLDatabase.connect(to: try PostgreSQLDatabase.make())
    try PostgreSQLSchema.prepare(on: connection)
    let parts = [
      "ann", "Bob", "x1", "été", "祝你新年快乐", "快", "乐乐乐", "สวัสดีครับ", "한국어", "カタカナ", "👍🏽", "🇩🇪",
      "手机iPhone15", String(repeating: "y", count: 40), "'q' \\ & | ! : *", " ", "…", "\n", "-",
    ]
    var random = SystemRandomNumberGenerator()
    for round in 0..<200 {
      let text = (0..<(round % 9)).map { _ in parts.randomElement(using: &random)! }
        .joined(separator: ["", " "].randomElement(using: &random)!)
      let message = IndexedMessage(
        text: text, fileName: ["a 报告.pdf", nil].randomElement(using: &random)!, channelID: 77,
        isOpen: Bool.random(using: &random))
      let stored = try connection.execute(
        "SELECT array_to_string(tsvector_to_array(parley_tokens($1)), ' ')",
        [.text(message.document)]
      ).text(0, 0)
      #expect(Self.tokens(stored) == Self.tokens(message.tokens), "\(text)")
      #expect(message.document.utf8.count <= message.tokens.utf8.count, "\(text)")
    }
  }

  @Test("an index with tokens is built again, also over a restart")
  func migrates() async throws {
    let url = try PostgreSQLDatabase.make()
    let connection = try PostgreSQLDatabase.connect(to: url)
    try PostgreSQLSchema.prepare(on: connection, upTo: 34)
    try connection.execute(
      script: """
        INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
          is_frozen, created_at, epoch)
        VALUES ('lobby', '', '', '', '', '', 0, 0, 1, 'e');
        INSERT INTO messages (message_id, channel_id, seq, type, user_id, text, data, custom_type,
          mention_type, created_at)
        SELECT n, 1, n, 'MESG', NULL, 'old 新年快乐 ' || n, '', '', 'users', n
        FROM generate_series(1, 9) AS n;
        INSERT INTO search_documents SELECT n, array_to_tsvector(ARRAY['old', '新年'])
        FROM generate_series(1, 9) AS n;
        INSERT INTO search_progress (id, version, top, seen, low)
        VALUES (1, \(IndexedMessage.version), 9, 9, 0);
        """)
    let options = StoreOptions(logger: LogRecorder().logger)
    let first = try Store(.postgreSQL(url: url), options: options)
    let before = try await Self.found("年快", in: first)
    #expect(before.isPartial && before.items == [])
    _ = try await first.perform(SearchIndexing(.new(recent: nil, settled: 0)))
    _ = try await first.perform(SearchIndexing(.old, limit: 4))
    first.close()
    let second = try Store(.postgreSQL(url: url), options: options)
    let half = try await Self.found("年快", in: second)
    #expect(half.isPartial && half.items == [9, 8, 7, 6])
    while try await second.perform(SearchIndexing(.old, limit: 4)).isBuilding {}
    let whole = try await Self.found("old 年快", in: second)
    #expect(!whole.isPartial && whole.items == [9, 8, 7, 6, 5, 4, 3, 2, 1])
    second.close()
  }

  @Test("words, beginnings and phrases are looked up in the index")
  func usesIndex() async throws {
    try await StoreUnderTest.$current.withValue(.postgreSQL) {
      let fixture = try await Fixture()
      for (query, direction) in [
        ("rare", SearchDirection.newestFirst), ("ra", .oldestFirst),
        ("\"a phrase\" 新年快乐", .newestFirst),
      ] {
        let expression = SearchQuery(query).indexTerms
          .textSearchExpression(in: [.open, .channel(fixture.lobby.id)])
        let plan = try await fixture.store.read { transaction in
          let connection = transaction.connection
          try connection.executeLater(SearchCandidates.planning(withTokens: true), [])
          return try connection.all(
            "EXPLAIN \(SearchCandidates.hitsStatement(direction))", [expression, 0, 10]
          ) { $0[0] as String }
        }
        #expect(
          plan.contains { $0.contains("Bitmap Index Scan on search_documents_by_tokens") },
          "\(plan)")
      }
    }
  }

  /// A mark after a space is a token of its own.
  private static func tokens(_ text: String) -> Set<[Unicode.Scalar]> {
    Set(text.unicodeScalars.split(separator: " ").map(Array.init))
  }

  private static func found(_ query: String, in store: Store) async throws -> SearchPage<Int64> {
    try await store.perform(
      FoundMessages(MessageSearch(query, limit: 100), among: .all, as: IDEncoder()), for: .server)
  }
}
