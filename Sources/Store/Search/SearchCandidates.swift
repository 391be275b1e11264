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

  private let connection: StoreConnection
  private let direction: SearchDirection
  private var source: Source
  private var position: Int64
  private var isFirst = true

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
    let terms = query.indexTerms
    if query.isBroad, !isOneChannel {
      source = .messages
    } else if connection.session.hasTokenDocuments {
      let expression = terms.textSearchExpression(in: places)
      let hits = try Self.hits(expression, direction, after: position, on: connection)
      source =
        hits.map(Source.hits) ?? .documents(expression, part: terms.distinctivePart(in: places))
    } else {
      let rows = try IndexRows(
        terms.fullTextExpression(in: places), direction, after: position,
        lateLimit: Self.hitLimit, on: connection)
      source = rows.map(Source.rows) ?? .messages
    }
  }

  /// The next block; `nil` at the end.
  mutating func next() throws -> SearchBlock? {
    let size = isFirst ? Self.blockSizes.first : Self.blockSizes.later
    isFirst = false
    switch source {
    case .messages: return try walk("message_id, 1", "messages", [], limit: 8 * size)
    case .documents(let expression, let part):
      return try walk(
        """
        message_id, CASE WHEN strpos(words, ?) = 0 THEN 0
          WHEN parley_tokens(words) @@ ?::tsquery THEN 1 ELSE 0 END
        """, "search_documents", [part, expression], limit: 8 * size)
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
  private static func hits(
    _ expression: String, _ direction: SearchDirection, after position: Int64,
    on connection: StoreConnection
  ) throws -> [Int64]? {
    try connection.executeLater(planning(withTokens: true), [])
    let found = try connection.all(
      hitsStatement(direction), [expression, position, hitLimit + 1]
    ) { $0[0] as Int64 }
    try connection.executeLater(planning(withTokens: false), [])
    guard found.count <= hitLimit else { return nil }
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
