/// How long a failed delivery waits before it is tried again.
package struct Backoff: Sendable, Hashable {
  /// Milliseconds.
  package var shortest: Int64 = 1_000
  package var longest: Int64 = 300_000
  /// The longest that a receiver may ask for by Retry-After.
  package var longestAsked: Int64 = 3_600_000

  package init() {}

  /// The wait after so many failures in a row: from 1 to 2 s after the first, then twice as long
  /// each time, up to 5 minutes.
  ///
  /// - Parameters:
  ///   - failures: At least 1.
  ///   - asked: What the receiver asked for, in milliseconds; never waited less, within bounds.
  ///   - jitter: From 0 to 1; spreads those who failed together.
  package func wait(after failures: Int, asked: Int64?, jitter: Double) -> Int64 {
    let doublings = min(max(failures, 1), 30)
    let ceiling = min(longest, shortest << Int64(doublings))
    let spread = Double(ceiling / 2) * min(max(jitter, 0), 1)
    return max(ceiling / 2 + Int64(spread), min(asked ?? 0, longestAsked))
  }
}
