import Search

/// The state of the index of search.
package struct SearchStatus: Sendable, Hashable {
  /// The messages in the index.
  package var rowCount: Int
  /// The size of the index.
  package var byteCount: Int
  /// The newest message in the index; 0 for none.
  package var newestID: Int64
  /// The oldest message that was reached; 0 when no older ones are left.
  package var oldestID: Int64

  /// Whether older messages are missing.
  package var isBuilding: Bool { oldestID > 0 }
}

/// Reads the state of the index; `nil` before it was begun.
///
/// Counting takes some time for each message.
package struct SearchStatusQuery: StoreQuery {
  package init() {}

  package var statements: ReadStatements<SearchStatus?> {
    .init { transaction in
      guard let progress = try transaction.searchProgress() else { return nil }
      return try transaction.connection.first(Self.statement, []) {
        SearchStatus(
          rowCount: $0[0], byteCount: $0[1], newestID: progress.seen, oldestID: progress.low)
      }
    }
  }

  private static let statement = StoreStatement(
    sqlite: """
      SELECT (SELECT count(*) FROM search_messages),
        (SELECT coalesce(sum(length(block)), 0) FROM search_data)
          + 28 * (SELECT count(*) FROM search_messages)
      """,
    postgreSQL: """
      SELECT (SELECT count(*) FROM search_documents), pg_total_relation_size('search_documents')
      """)
}

/// Compares some messages with the index of search.
///
/// Outcome: the ids that were compared, and among them those that the index does not have.
package struct SearchSample: StoreQuery {
  package struct Outcome: Sendable, Hashable {
    package var checkedCount = 0
    package var missingIDs: [Int64] = []
  }

  /// A number that selects the messages.
  package var seed: UInt64
  package var limit: Int

  package init(seed: UInt64, limit: Int = 200) {
    self.seed = seed
    self.limit = limit
  }

  package var statements: ReadStatements<Outcome> { .init { try $0.sample(self) } }
}

extension StoreTransaction {
  fileprivate func sample(_ sample: SearchSample) throws -> SearchSample.Outcome {
    var outcome = SearchSample.Outcome()
    guard let progress = try searchProgress(), progress.seen > 0 else { return outcome }
    let lowest = max(
      progress.low,
      try connection.first("SELECT min(message_id) FROM messages", []) { $0[0] as Int64? }
        .flatMap { $0 } ?? progress.seen)
    guard lowest <= progress.seen else { return outcome }
    var state = sample.seed
    for _ in 0..<sample.limit {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let place = lowest + Int64(state >> 11) % (progress.seen - lowest + 1)
      guard let (id, terms) = try indexedMessage(from: place, to: progress.seen) else { continue }
      outcome.checkedCount += 1
      if try !indexHas(id, terms) { outcome.missingIDs.append(id) }
      if time?.isOverAfterRow() == true { break }
    }
    return outcome
  }

  /// The first message in a range, with its tokens in the index.
  private func indexedMessage(
    from first: Int64, to last: Int64
  ) throws -> (id: Int64, terms: [IndexTerm])? {
    try connection.first(
      """
      SELECT message_id, text, file FROM messages \(.primaryKey)
      WHERE message_id >= ? AND message_id <= ? ORDER BY message_id LIMIT 1
      """, [first, last]
    ) { row in
      let text = SearchedText(text: row[1], fileName: try IndexedMessage.fileName(in: row[2]))
      return (row[0], text.tokens.prefix(20).map { IndexTerm(token: $0) })
    }
  }

  private func indexHas(_ id: Int64, _ terms: [IndexTerm]) throws -> Bool {
    let isThere =
      try connection.first(
        StoreStatement(
          sqlite: "SELECT 1 FROM search_messages WHERE message_id = ?",
          postgreSQL: "SELECT 1 FROM search_documents WHERE message_id = ? AND words IS NOT NULL"),
        [id]
      ) { _ in true } ?? false
    guard isThere, !terms.isEmpty else { return isThere }
    let expression =
      connection.session.hasTokenDocuments
      ? terms.textSearchExpression(in: []) : terms.fullTextExpression(in: [])
    return try connection.first(
      StoreStatement(
        sqlite: """
          SELECT 1 FROM search WHERE search MATCH ?2
            AND rowid = (SELECT place FROM search_messages WHERE message_id = ?1)
          """,
        postgreSQL: """
          SELECT 1 FROM search_documents
          WHERE message_id = ?1 AND parley_tokens(words) @@ ?2::tsquery
          """), [id, expression]
    ) { _ in true } ?? false
  }
}
