/// The places of messages in the index of SQLite, which are the numbers of its rows.
///
/// Small numbers make the index much smaller than ids would. Places below ``late`` are in the order of the ids:
/// new messages are numbered from 1 upwards, old ones from 0 downwards. A message whose id lies among theirs,
/// because it was imported or became visible late, gets the next place from ``late`` on. Searches sort those by
/// their ids.
struct IndexPlaces {
  /// The first place of messages that came out of order.
  static let late: Int64 = 1 << 32

  /// The messages at both ends of those in order; `nil` without any.
  private let ends: (first: Place, last: Place)?
  private let connection: StoreConnection

  private typealias Place = (number: Int64, id: Int64)

  init(on connection: StoreConnection) throws {
    self.connection = connection
    func end(_ order: StoreStatement) throws -> Place? {
      try connection.first(
        "SELECT place, message_id FROM search_messages WHERE place < ? ORDER BY place \(order) LIMIT 1",
        [Self.late]
      ) { ($0[0], $0[1]) }
    }
    ends = if let first = try end("ASC"), let last = try end("DESC") { (first, last) } else { nil }
  }

  /// The number of messages in order, as long as none were removed.
  var count: Int { ends.map { Int($0.last.number - $0.first.number) + 1 } ?? 0 }

  /// Whether messages came out of order, as few or none do in most stores.
  func hasLate() throws -> Bool {
    try connection.first("SELECT 1 FROM search_messages WHERE place >= ? LIMIT 1", [Self.late]) {
      _ in true
    } ?? false
  }

  /// The first place in order whose messages have this id or a higher one.
  ///
  /// A page begins there even when the index was built again since the page before.
  func first(from id: Int64) throws -> Int64 {
    guard let ends, id <= ends.last.id else { return Self.late }
    var (low, high) = (ends.first.number, ends.last.number + 1)
    while low < high {
      let middle = low + (high - low) / 2
      // The places of removed messages are empty.
      let next = try connection.first(
        """
        SELECT place, message_id FROM search_messages WHERE place >= ? AND place < ?
        ORDER BY place LIMIT 1
        """, [middle, high]
      ) { ($0[0], $0[1]) as Place }
      if let next, next.id < id { low = next.number + 1 } else { high = middle }
    }
    return low
  }

  /// Places for older messages than all in the index, with ids in ascending order.
  func assignOld(_ ids: [Int64]) -> [IndexedRun] {
    [IndexedRun(ids: ids[...], first: (ends?.first.number ?? 1) - Int64(ids.count))]
  }

  /// Places for messages with ids in ascending order: before, after, or outside of those in order.
  ///
  /// - Parameter low: The id down to which an index that is being built has all messages, or 0 for a complete one:
  ///   messages below it come in order later.
  func assign(_ ids: [Int64], low: Int64) throws -> [IndexedRun] {
    let first = low > 0 ? 0 : ends?.first.id ?? 0
    let older = ids.prefix { $0 < first }
    let newer = ids.dropFirst(older.count).drop { $0 <= ends?.last.id ?? low - 1 }
    let others = ids[older.count..<newer.startIndex]
    return [
      IndexedRun(ids: older, first: (ends?.first.number ?? 1) - Int64(older.count)),
      IndexedRun(ids: newer, first: (ends?.last.number ?? 0) + 1),
      IndexedRun(ids: others, first: others.isEmpty ? Self.late : try nextLate()),
    ].filter { !$0.ids.isEmpty }
  }

  private func nextLate() throws -> Int64 {
    try connection.first(
      "SELECT max(place) + 1 FROM search_messages WHERE place >= ?", [Self.late]
    ) { $0[0] as Int64? }.flatMap { $0 } ?? Self.late
  }
}

/// Messages to add to the index of SQLite at consecutive places.
struct IndexedRun: Hashable {
  /// In ascending order.
  var ids: ArraySlice<Int64>
  var first: Int64
}
