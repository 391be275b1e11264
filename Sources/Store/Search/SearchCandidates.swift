import Search

/// The direction in which messages are examined, by their ids.
enum SearchDirection {
  case newestFirst
  case oldestFirst

  var comparison: String { self == .newestFirst ? "<" : ">" }
  var order: String { self == .newestFirst ? "DESC" : "ASC" }
  /// The position before all messages.
  var start: Int64 { self == .newestFirst ? .max : .min }

  func sort(_ ids: [Int64]) -> [Int64] {
    self == .newestFirst ? ids.sorted(by: >) : ids.sorted()
  }

  /// Whether a message comes before another one.
  func precedes(_ id: Int64, _ other: Int64) -> Bool {
    self == .newestFirst ? id > other : id < other
  }
}

/// A part of the messages that may match, in order.
struct SearchBlock {
  /// The ids of the messages.
  var candidates: [Int64] = []
  /// The last id that was examined; no other message may match before it.
  var position: Int64
}

/// Reads the messages that may match a query, block by block.
struct SearchCandidates {
  private enum Source {
    /// All messages, for a query that many match.
    case messages
    /// The index of SQLite.
    case rows(IndexRows)
    /// The messages in PostgreSQL that have the tokens, in order.
    case hits([Int64])
    /// The documents in PostgreSQL in order, when very many have the tokens; those without a part are not
    /// compared.
    case documents(String, part: String)
  }

  /// The messages of the first block and of later ones: most searches need few.
  private static let blockSizes = (first: 32, later: 256)
  /// The number of messages that are read from an index and sorted; beyond it, walking along the messages finds
  /// a page soon.
  static let hitLimit = 20_000
  /// The number of messages of a channel that are compared in place of looking up short beginnings.
  private static let channelLimit = 4_000
  /// The rows that are read for each candidate when walking along the messages.
  private static let walkFactor = 8

  private let connection: StoreConnection
  private let direction: SearchDirection
  private let terms: [IndexTerm]
  private let places: [SearchPlace]
  private var source = Source.messages
  private var position: Int64
  private var isFirst = true
  /// Decides on the source after the first block.
  private var trial: SearchTrial?
  /// The messages of that block that match.
  private var matchCount = 0

  /// - Parameters:
  ///   - isOneChannel: Whether a channel is searched, and not all that a user may see.
  ///   - position: The id after which to begin.
  init(
    _ query: SearchQuery, in places: [SearchPlace], isOneChannel: Bool,
    _ direction: SearchDirection, after position: Int64, on connection: StoreConnection
  ) throws {
    self.connection = connection
    self.direction = direction
    self.position = position
    self.places = places
    terms = query.indexTerms
    if query.isBroad, !isOneChannel { return }
    if isOneChannel {
      let readsFew =
        try terms.hasShortBeginning && SearchTrial(for: terms, on: connection)?.isLarge == true
      let few = try readsFew ? fewInChannel() : nil
      source = try few.map(Source.hits) ?? indexSource()
    } else {
      trial = try SearchTrial(for: terms, on: connection)
      source = try trial == nil ? indexSource() : walkSource
    }
  }

  /// The messages of the only channel, in order; `nil` for more than ``channelLimit``.
  private func fewInChannel() throws -> [Int64]? {
    guard case .channel(let id)? = places.first else { return nil }
    let found = try connection.all(
      """
      SELECT message_id FROM messages \(.index("messages_by_time")) WHERE channel_id = ? LIMIT ?
      """, [id, Self.channelLimit + 1]
    ) { $0[0] as Int64 }
    guard found.count <= Self.channelLimit else { return nil }
    return direction.sort(found.filter { direction.precedes(position, $0) })
  }

  private func indexSource() throws -> Source {
    if connection.session.hasTokenDocuments {
      let hits = try hits(terms.textSearchExpression(in: places))
      return hits.map(Source.hits) ?? walkSource
    }
    let rows = try IndexRows(
      terms.fullTextExpression(in: places), direction, after: position, lateLimit: Self.hitLimit,
      on: connection)
    return rows.map(Source.rows) ?? walkSource
  }

  private var walkSource: Source {
    guard connection.session.hasTokenDocuments else { return .messages }
    return .documents(
      terms.textSearchExpression(in: places), part: terms.distinctivePart(in: places))
  }

  /// Takes note of how many messages of the last block match.
  mutating func count(matches count: Int) {
    if trial != nil { matchCount = count }
  }

  /// The next block; `nil` at the end.
  mutating func next() throws -> SearchBlock? {
    if let trial, !isFirst {
      self.trial = nil
      let examinedCount = Self.walkFactor * Self.blockSizes.first
      if !trial.prefersWalk(matchCount: matchCount, among: examinedCount) {
        source = try indexSource()
      }
    }
    let size = isFirst ? Self.blockSizes.first : Self.blockSizes.later
    isFirst = false
    switch source {
    case .messages: return try walk("message_id, 1", "messages", [], limit: Self.walkFactor * size)
    case .documents(let expression, let part):
      return try walk(
        """
        message_id, CASE WHEN strpos(words, ?) = 0 THEN 0
          WHEN parley_tokens(words) @@ ?::tsquery THEN 1 ELSE 0 END
        """, "search_documents", [part, expression], limit: Self.walkFactor * size)
    case .rows(var rows):
      let found = try rows.next(size)
      source = .rows(rows)
      return block(found)
    case .hits(let hits):
      source = .hits(Array(hits.dropFirst(size)))
      return block(Array(hits.prefix(size)))
    }
  }

  private mutating func block(_ found: [Int64]) -> SearchBlock? {
    guard let last = found.last else { return nil }
    position = last
    return SearchBlock(candidates: found, position: last)
  }

  /// Reads the next rows of a table, each with whether it may match.
  private mutating func walk(
    _ columns: StoreStatement, _ table: StoreStatement, _ arguments: StoreArguments,
    limit: Int
  ) throws -> SearchBlock? {
    let rows = try connection.all(
      """
      SELECT \(columns) FROM \(table) WHERE message_id \(StoreStatement(direction.comparison)) ?
      ORDER BY message_id \(StoreStatement(direction.order)) LIMIT ?
      """, arguments + [position, limit]
    ) { (id: $0[0] as Int64, mayMatch: $0[1] as Bool) }
    guard let last = rows.last else { return nil }
    position = last.id
    return SearchBlock(candidates: rows.filter(\.mayMatch).map(\.id), position: last.id)
  }

  /// The messages that have the tokens, in order; `nil` for too many.
  private func hits(_ expression: String) throws -> [Int64]? {
    try connection.executeLater(Self.planning(withTokens: true), [])
    let found = try connection.all(
      Self.hitsStatement(direction), [expression, position, Self.hitLimit + 1]
    ) { $0[0] as Int64 }
    try connection.executeLater(Self.planning(withTokens: false), [])
    guard found.count <= Self.hitLimit else { return nil }
    return direction.sort(found)
  }

  /// The ids of documents with some tokens, after an id, up to a limit.
  ///
  /// The sum keeps the planner from walking along the ids.
  static func hitsStatement(_ direction: SearchDirection) -> StoreStatement {
    StoreStatement(
      """
      SELECT message_id FROM search_documents
      WHERE parley_tokens(words) @@ ?::tsquery AND message_id + 0 \(direction.comparison) ? LIMIT ?
      """)
  }

  /// Has the server plan with the index of tokens, or again only with others, in this transaction.
  ///
  /// With too little memory, the server compares all documents of a page of the table when one has the tokens.
  /// 64 MB are enough for some 70 million messages; they are taken only as far as they are needed.
  static func planning(withTokens: Bool) -> StoreStatement {
    let (tokens, others) = withTokens ? ("on", "off") : ("off", "on")
    return StoreStatement(
      """
      SELECT set_config('work_mem', '64MB', true),
        set_config('enable_bitmapscan', '\(tokens)', true),
        set_config('enable_indexscan', '\(others)', true),
        set_config('enable_indexonlyscan', '\(others)', true)
      """)
  }
}
