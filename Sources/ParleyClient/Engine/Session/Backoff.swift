/// How long to wait before connecting again: exponential with full jitter, so that clients which
/// were cut off together do not come back together.
struct Backoff: Sendable {
  /// Milliseconds.
  struct Settings: Sendable, Hashable {
    /// The longest first wait.
    var first: Int64 = 500
    /// The longest wait of all.
    var limit: Int64 = 30_000
    /// A connection that lasted so long was a good one: counting begins anew.
    var resetAfter: Int64 = 10_000
  }

  let settings: Settings
  /// How many waits there were since the last good connection.
  private(set) var attempt = 0

  init(_ settings: Settings) {
    self.settings = settings
  }

  /// The wait before the next attempt, in milliseconds.
  ///
  /// - Parameter random: Any number; it decides where between 0 and the ceiling the wait lies.
  mutating func next(random: UInt64) -> Int64 {
    let ceiling = ceiling(ofAttempt: attempt)
    if attempt < .max { attempt += 1 }
    return Int64(random % UInt64(ceiling + 1))
  }

  /// Begins anew.
  mutating func reset() {
    attempt = 0
  }

  private func ceiling(ofAttempt attempt: Int) -> Int64 {
    let limit = min(max(0, settings.limit), 86_400_000)
    let doublings = min(attempt, 30)
    let (product, isOverflow) = max(0, settings.first).multipliedReportingOverflow(
      by: 1 << Int64(doublings))
    return isOverflow ? limit : min(limit, product)
  }
}
