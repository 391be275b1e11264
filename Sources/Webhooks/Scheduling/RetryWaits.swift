internal import Basics

/// The waits of a delivery that failed before it is tried again.
package struct RetryWaits: Sendable, Hashable {
  /// From 1 to 2 s after the first failure, then twice as long each time, up to 5 minutes.
  private let backoff = Backoff(first: 2_000, limit: 300_000, jitter: .equal)
  /// The longest that a receiver may ask for by Retry-After, in milliseconds.
  package var longestAsked: Int64 = 3_600_000

  package init() {}

  /// The wait after a number of failures in a row, in milliseconds.
  ///
  /// - Parameters:
  ///   - asked: The wait that the receiver asked for; never waited less, within bounds.
  ///   - random: Any number; spreads those who failed together.
  package func wait(after failures: Int, asked: Int64?, random: UInt64) -> Int64 {
    max(backoff.wait(after: failures, random: random), min(asked ?? 0, longestAsked))
  }
}
