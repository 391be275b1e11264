import Channels
import ParleyProtocol
import Search

/// A message that matches, with its channel.
struct FoundRow {
  var id: Int64
  var channelID: Int64
  var channelURL: String
  var score: Double
}

/// The messages of a page, and what follows them.
struct FoundRows {
  var messages: [FoundRow] = []
  /// The position after the last message, if there is or may be another.
  var next: SearchPosition?
  var total = 0
  var hasMoreTotal = false
  /// Whether the time was up before the page was full.
  var isCutShort = false
  /// The position before the page in order of score; `nil` in order of time.
  fileprivate var start: SearchPosition?

  /// The position after the first messages, of which there is at least one.
  func position(after count: Int) -> SearchPosition {
    guard let start else {
      return SearchPosition(
        id: messages[count - 1].id, total: total, hasMoreTotal: hasMoreTotal)
    }
    return SearchPosition(
      id: start.id, offset: Int(start.offset) + count, total: total,
      hasMoreTotal: hasMoreTotal)
  }
}

/// Reads the messages that match a query, and counts them.
struct SearchReading {
  private let transaction: any StoreTransaction
  private let query: SearchQuery
  private let search: MessageSearch
  private let scope: SearchScope
  private let start: SearchPosition?
  private var candidates: SearchCandidates

  init(
    _ transaction: any StoreTransaction, _ query: SearchQuery, _ search: MessageSearch,
    _ scope: SearchScope, after position: SearchPosition?
  ) throws {
    self.transaction = transaction
    self.query = query
    self.search = search
    self.scope = scope
    start = position
    let direction: SearchDirection =
      search.order == .time && search.isReversed ? .oldestFirst : .newestFirst
    // The newest message of a search by score is part of all of its pages.
    let first = position.map { search.order == .score ? $0.id + 1 : $0.id } ?? direction.start
    candidates = try SearchCandidates(
      query, in: scope.places, isOneChannel: search.channelURL != nil, direction,
      after: first, on: transaction.connection)
  }

  /// Reads a page in order of time.
  ///
  /// The first page counts all messages, later ones carry the number on.
  mutating func readInOrder() throws -> FoundRows {
    var found = FoundRows()
    let needed = start == nil ? Limits.searchCount + 1 : search.limit + 1
    var count = 0
    var examined = start?.id ?? 0
    var isComplete = false
    reading: while true {
      guard let block = try candidates.next() else {
        isComplete = true
        break
      }
      let matching = try matches(of: block.candidates)
      candidates.count(matches: matching.count)
      for row in matching {
        count += 1
        if found.messages.count < search.limit { found.messages.append(row) }
        if count == needed { break reading }
      }
      examined = block.position
      if transaction.time?.isOverAfterRow() == true { break }
    }
    let isFull = count > search.limit
    found.isCutShort = !isComplete && !isFull && count < needed
    if let start {
      (found.total, found.hasMoreTotal) = (Int(start.total), start.hasMoreTotal)
    } else {
      found.total = min(count, Limits.searchCount)
      found.hasMoreTotal = !isComplete
    }
    if isFull || found.isCutShort {
      found.next = SearchPosition(
        id: isFull ? found.messages[search.limit - 1].id : examined, total: found.total,
        hasMoreTotal: found.hasMoreTotal)
    }
    return found
  }

  /// Reads a page in order of score, of the newest messages that match.
  mutating func readByScore() throws -> FoundRows {
    var rows: [FoundRow] = []
    var isComplete = false
    while rows.count <= Limits.searchCount {
      guard let block = try candidates.next() else {
        isComplete = true
        break
      }
      let matching = try matches(of: block.candidates)
      candidates.count(matches: matching.count)
      rows += matching
      if transaction.time?.isOverAfterRow() == true { break }
    }
    let isTimeOver = !isComplete && rows.count <= Limits.searchCount
    rows = Array(rows.prefix(Limits.searchCount))
    var found = FoundRows()
    found.total = rows.count
    found.hasMoreTotal = !isComplete
    found.isCutShort = isTimeOver
    let newest = start?.id ?? rows.first?.id ?? 0
    rows.sort { ($0.score, $0.id) > ($1.score, $1.id) }
    if search.isReversed { rows.reverse() }
    let offset = Int(start?.offset ?? 0)
    found.start = SearchPosition(
      id: newest, offset: offset, total: found.total, hasMoreTotal: found.hasMoreTotal)
    found.messages = Array(rows.dropFirst(offset).prefix(search.limit))
    if offset + search.limit < rows.count {
      found.next = SearchPosition(
        id: newest, offset: offset + search.limit, total: found.total,
        hasMoreTotal: found.hasMoreTotal)
    }
    return found
  }

  /// The messages among the given ones that match, in their order.
  private func matches(of candidates: [Int64]) throws -> [FoundRow] {
    guard !candidates.isEmpty else { return [] }
    let rows = try transaction.connection.all(
      """
      SELECT m.message_id, m.channel_id, c.url, m.text, m.file
      FROM messages AS m \(.primaryKey) CROSS JOIN channels AS c
      WHERE m.message_id \(.isAnyOf) AND \(scope.condition.sql)
      """, [StoreValue.integers(candidates)] + scope.condition.arguments
    ) { row -> FoundRow? in
      let text = SearchedText(
        text: row[3], fileName: try IndexedMessage.fileName(in: row[4]))
      guard query.matches(text) else { return nil }
      return FoundRow(
        id: row[0], channelID: row[1], channelURL: row[2],
        score: search.order == .score ? query.score(text) : 0)
    }
    let found = Dictionary(rows.compactMap { $0 }.map { ($0.id, $0) }) { first, _ in first }
    return candidates.compactMap { found[$0] }
  }
}
