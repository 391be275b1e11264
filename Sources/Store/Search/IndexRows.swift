/// The messages in the index of SQLite that have some tokens, in the order of their ids.
struct IndexRows {
  private let direction: SearchDirection
  /// Those at places in order.
  private let rows: StoreRows
  /// The next one of them.
  private var next: Int64?
  /// Those at other places.
  private var late: ArraySlice<Int64>

  /// - Parameters:
  ///   - expression: The tokens, as FTS5 takes them.
  ///   - position: The id after which to begin.
  ///   - lateLimit: The number of messages that are sorted at most.
  /// - Returns: `nil` for more messages out of order.
  init?(
    _ expression: String, _ direction: SearchDirection, after position: Int64, lateLimit: Int,
    on connection: StoreConnection
  ) throws {
    self.direction = direction
    let places = try IndexPlaces(on: connection)
    let found =
      try !places.hasLate()
      ? []
      : connection.all(
        """
        SELECT s.message_id FROM search CROSS JOIN search_messages AS s
        WHERE search MATCH ? AND search.rowid >= ? AND s.place = search.rowid LIMIT ?
        """, [expression, IndexPlaces.late, lateLimit + 1]
      ) { $0[0] as Int64 }
    guard found.count <= lateLimit else { return nil }
    late = direction.sort(found.filter { direction.precedes(position, $0) })[...]
    let (first, end) =
      switch direction {
      case .newestFirst: (Int64.min, try places.first(from: position))
      case .oldestFirst:
        (
          position == direction.start ? .min : try places.first(from: position + 1),
          IndexPlaces.late
        )
      }
    rows = try connection.scan(
      StoreStatement(
        """
        SELECT s.message_id FROM search CROSS JOIN search_messages AS s
        WHERE search MATCH ? AND search.rowid >= ? AND search.rowid < ? AND s.place = search.rowid
        ORDER BY search.rowid \(direction.order)
        """), [expression, first, end])
    next = try rows.next().map { $0[0] }
  }

  /// The next messages.
  mutating func next(_ count: Int) throws -> [Int64] {
    var found: [Int64] = []
    while found.count < count {
      if let id = late.first, next.map({ direction.precedes(id, $0) }) ?? true {
        found.append(id)
        late.removeFirst()
      } else if let id = next {
        found.append(id)
        next = try rows.next().map { $0[0] }
      } else {
        break
      }
    }
    return found
  }
}
