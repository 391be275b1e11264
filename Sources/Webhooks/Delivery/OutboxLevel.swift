import Store

/// The number of events in the outbox, as the loop knows it.
struct OutboxLevel {
  private(set) var count = 0
  /// The time of the oldest event, in Unix milliseconds.
  private(set) var oldest: Int64?
  private var latest: Int64?
  /// Whether it was logged that more events wait than are kept.
  var isOverfull = false

  init() {}

  init(count: Int, oldest: Int64?) {
    self.count = count
    self.oldest = oldest
    latest = oldest
  }

  /// Takes the level as the store has it.
  mutating func renew(count: Int, oldest: Int64?) {
    self.count = count
    self.oldest = oldest
    latest = oldest.map { max($0, latest ?? $0) }
  }

  /// Whether enough events are gone that being overfull again is logged anew.
  func isRelieved(limit: Int) -> Bool { count <= limit / 10 * 9 }

  mutating func add(at timestamp: Int64) {
    count += 1
    latest = timestamp
    if oldest == nil { oldest = timestamp }
  }

  mutating func remove(_ removal: OutboxRemoval) {
    count = max(0, count - removal.count)
    // What came in the same transaction behind the removal was not seen by it.
    oldest = removal.oldest ?? (count > 0 ? latest : nil)
  }
}
