/// Adds some messages to the index of search.
///
/// The index follows the messages behind them: adding a message costs nothing more. Messages become visible
/// in another order than that of their ids, so a step looks at the newest ids again, as far back as it is
/// asked to.
package struct SearchIndexing: StoreWrite {
  /// The messages that a step adds.
  package enum Part: Sendable, Hashable {
    /// Those that have come: with ids above `recent`, or above all settled ones without it.
    ///
    /// Messages with ids up to `settled` are visible or will never be.
    case new(recent: Int64?, settled: Int64)
    /// Older ones, the newest first.
    case old
  }

  /// The outcome of a step.
  package struct Outcome: Sendable, Hashable {
    /// The messages that were added.
    package var count = 0
    /// Whether more messages are left.
    package var hasMore = false
    /// Whether another server was taking a step.
    package var isBusy = false
    /// Whether older messages are left.
    package var isBuilding = false
    /// The newest message in the index; 0 for none.
    package var newestID: Int64 = 0
  }

  package var part: Part
  /// Maximum number of messages, which takes some milliseconds.
  package var limit: Int

  package init(_ part: Part, limit: Int = 200) {
    self.part = part
    self.limit = limit
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Outcome> { .init { try $0.index(self) } }
}

/// Empties the index of search, so that it is built again.
package struct SearchRestart: StoreWrite {
  package init() {}

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Void> { .init { try $0.restartIndex() } }
}

/// The age of messages relative to those in the index.
private enum IndexedAge {
  /// - Parameter low: See ``SearchProgress``.
  case new(low: Int64)
  /// Older than all of them.
  case old
}

extension WriteTransaction {
  fileprivate func index(_ step: SearchIndexing) throws -> SearchIndexing.Outcome {
    guard var progress = try lockSearchProgress() else { return .init(isBusy: true) }
    let before = progress
    var outcome = SearchIndexing.Outcome()
    switch step.part {
    case .new(let recent, let settled):
      let start = recent.map { max(progress.top, min($0, progress.seen)) } ?? progress.top
      let ids = try indexNew(after: start, limit: step.limit, low: progress.low)
      outcome.hasMore = ids.count == step.limit
      outcome.count = try ids.count + indexOutdated(limit: step.limit)
      if let last = ids.last { progress.seen = max(progress.seen, last) }
      if start == progress.top {
        // Beyond the last message of a full step, others may be left.
        let reached = outcome.hasMore ? min(settled, ids.last ?? settled) : settled
        progress.top = max(progress.top, min(reached, max(progress.seen, progress.top)))
      }
    case .old:
      guard progress.isBuilding else { break }
      let ids = try indexOld(below: progress.low, limit: step.limit)
      outcome.count = ids.count
      outcome.hasMore = ids.count == step.limit
      progress.low = outcome.hasMore ? ids[0] : 0
    }
    if progress != before { try store(progress) }
    outcome.isBuilding = progress.isBuilding
    outcome.newestID = progress.seen
    return outcome
  }

  /// Adds messages above an id that are not in the index.
  ///
  /// - Returns: Their ids in order.
  private func indexNew(after id: Int64, limit: Int, low: Int64) throws -> [Int64] {
    try addToIndex(
      .new(low: low),
      StoreStatement(
        sqlite: """
          SELECT message_id FROM messages NOT INDEXED
          WHERE message_id > ? AND NOT EXISTS (
            SELECT 1 FROM search_messages AS s WHERE s.message_id = messages.message_id)
          ORDER BY message_id LIMIT ?
          """,
        postgreSQL: """
          SELECT \(Self.columns) FROM messages AS m
          WHERE m.message_id > ? AND NOT EXISTS (
            SELECT 1 FROM search_documents AS d WHERE d.message_id = m.message_id)
          ORDER BY m.message_id LIMIT ? FOR SHARE OF m
          """), [id, limit])
  }

  /// Adds the newest messages below an id; imported ones may be in the index already.
  ///
  /// - Returns: Their ids in order.
  private func indexOld(below id: Int64, limit: Int) throws -> [Int64] {
    try addToIndex(
      .old,
      StoreStatement(
        sqlite: """
          SELECT message_id FROM (
            SELECT message_id FROM messages NOT INDEXED
            WHERE message_id < ? AND NOT EXISTS (
              SELECT 1 FROM search_messages AS s WHERE s.message_id = messages.message_id)
            ORDER BY message_id DESC LIMIT ?) ORDER BY message_id
          """,
        postgreSQL: """
          SELECT \(Self.columns) FROM messages AS m
          WHERE m.message_id < ? ORDER BY m.message_id DESC LIMIT ? FOR SHARE OF m
          """), [id, limit])
  }

  /// Adds imported messages, whose ids lie among those that the index has passed already.
  func indexImported(_ ids: [Int64]) throws {
    guard let progress = try searchProgress() else { return }
    _ = try addToIndex(
      .new(low: progress.low),
      StoreStatement(
        sqlite: """
          SELECT message_id FROM messages NOT INDEXED
          WHERE message_id IN (SELECT value FROM json_each(?)) ORDER BY message_id
          """,
        postgreSQL: """
          SELECT \(Self.columns) FROM messages AS m WHERE m.message_id = ANY (?)
          """), [StoreValue.integers(ids)])
  }

  private static let columns =
    "m.message_id, m.text, m.file, m.channel_id, CASE WHEN m.ordinal IS NULL THEN 1 ELSE 0 END"

  /// Adds the messages that a statement finds.
  ///
  /// In PostgreSQL the statement locks them: a change of one waits, and then finds it in the index.
  private func addToIndex(
    _ age: IndexedAge, _ selection: StoreStatement, _ arguments: StoreArguments
  ) throws -> [Int64] {
    guard connection.session.hasTokenDocuments else {
      let ids = try connection.all(selection, arguments) { $0[0] as Int64 }
      guard !ids.isEmpty else { return [] }
      let places = try IndexPlaces(on: connection)
      let runs =
        switch age {
        case .new(let low): try places.assign(ids, low: low)
        case .old: places.assignOld(ids)
        }
      for run in runs { try add(run) }
      return ids
    }
    let found = try connection.all(selection, arguments, document)
    guard !found.isEmpty else { return [] }
    try connection.execute(
      """
      INSERT INTO search_documents (message_id, words)
      SELECT id, words FROM unnest(?::bigint[], ?::text[]) AS n (id, words)
      ON CONFLICT (message_id) DO NOTHING
      """, [StoreValue.integers(found.map(\.id)), StoreValue.texts(found.map(\.words))])
    return found.map(\.id).sorted()
  }

  /// Adds messages to the index of SQLite.
  ///
  /// Places in order: otherwise each row would be written by itself.
  private func add(_ run: IndexedRun) throws {
    let arguments: StoreArguments = [run.first, StoreValue.integers(Array(run.ids))]
    try connection.execute(
      """
      INSERT INTO search_messages (place, message_id)
      SELECT ?1 + key, value FROM json_each(?2) ORDER BY key
      """, arguments)
    try connection.execute(
      StoreStatement(
        """
        INSERT INTO search (rowid, tokens)
        SELECT ?1 + j.key, \(SearchSchema.values(of: "m"))
        FROM json_each(?2) AS j CROSS JOIN messages AS m NOT INDEXED
        WHERE m.message_id = j.value ORDER BY j.key
        """), arguments)
  }

  /// Stores the words of messages whose texts have changed, which SQLite does at once.
  ///
  /// - Returns: Their number.
  private func indexOutdated(limit: Int) throws -> Int {
    guard connection.session.hasTokenDocuments else { return 0 }
    let found = try connection.all(
      StoreStatement(
        """
        SELECT \(Self.columns) FROM search_documents AS d CROSS JOIN messages AS m
        WHERE d.words IS NULL AND m.message_id = d.message_id
        ORDER BY d.message_id LIMIT ? FOR SHARE OF m
        """), [limit], document)
    guard !found.isEmpty else { return 0 }
    try connection.execute(
      """
      UPDATE search_documents AS d SET words = n.words
      FROM unnest(?::bigint[], ?::text[]) AS n (id, words) WHERE d.message_id = n.id
      """, [StoreValue.integers(found.map(\.id)), StoreValue.texts(found.map(\.words))])
    return found.count
  }

  private func document(_ row: StoreRow) throws -> (id: Int64, words: String) {
    let message = IndexedMessage(
      text: row[1], fileName: try IndexedMessage.fileName(in: row[2]), channelID: row[3],
      isOpen: row[4])
    return (row[0], message.document)
  }
}
