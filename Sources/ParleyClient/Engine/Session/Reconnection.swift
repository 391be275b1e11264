internal import Basics

/// The waits of a client that connects again, counted since its last good connection.
struct Reconnection: Sendable {
  /// Times in milliseconds.
  struct Settings: Sendable, Hashable {
    /// Full jitter: clients which were cut off together do not come back together.
    var backoff = Backoff(first: 500, limit: 30_000, jitter: .full)
    /// A connection that lasted so long was a good one: counting begins anew.
    var resetAfter: Int64 = 10_000
  }

  let settings: Settings
  /// The number of waits since the last good connection.
  private(set) var attempt = 0

  init(_ settings: Settings) {
    self.settings = settings
  }

  /// The wait before the next attempt, in milliseconds.
  ///
  /// - Parameter random: Any number; it decides where between 0 and the ceiling the wait lies.
  mutating func next(random: UInt64) -> Int64 {
    if attempt < .max { attempt += 1 }
    return settings.backoff.wait(after: attempt, random: random)
  }

  /// Begins anew.
  mutating func reset() {
    attempt = 0
  }
}
