import Store

/// The number of events in the outbox, as known to the loop.
struct OutboxLevel {
  private(set) var count = 0
  /// The time of the oldest event, in Unix milliseconds.
  private(set) var oldest: Int64?
  private var latest: Int64?
  /// Whether a log line has reported that more events wait than the limit.
  var isOverfull = false

  init() {}

  init(count: Int, oldest: Int64?) {
    self.count = count
    self.oldest = oldest
    latest = oldest
  }

  /// Sets the level to that of the store.
  mutating func renew(count: Int, oldest: Int64?) {
    self.count = count
    self.oldest = oldest
    latest = oldest.map { max($0, latest ?? $0) }
  }

  /// Whether enough events were removed to log the next time that the limit is exceeded.
  func isRelieved(limit: Int) -> Bool { count <= limit / 10 * 9 }

  mutating func add(at timestamp: Int64) {
    count += 1
    latest = timestamp
    if oldest == nil { oldest = timestamp }
  }

  mutating func remove(_ removal: OutboxRemoval) {
    count = max(0, count - removal.count)
    // The removal did not see events added later in the same transaction.
    oldest = removal.oldest ?? (count > 0 ? latest : nil)
  }
}
