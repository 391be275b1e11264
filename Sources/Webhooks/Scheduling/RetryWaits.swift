internal import Basics

/// The waits before retries of a failed delivery.
package struct RetryWaits: Sendable, Hashable {
  /// From 1 to 2 s after the first failure, then twice as long each time, up to 5 minutes.
  private let backoff = Backoff(first: 2_000, limit: 300_000, jitter: .equal)
  /// The maximum wait that a receiver may request by Retry-After, in milliseconds.
  package var longestAsked: Int64 = 3_600_000

  package init() {}

  /// The wait after a number of consecutive failures, in milliseconds.
  ///
  /// - Parameters:
  ///   - asked: The wait requested by the receiver; a lower bound, within limits.
  ///   - random: Any number; spreads deliveries that failed together.
  package func wait(after failures: Int, asked: Int64?, random: UInt64) -> Int64 {
    max(backoff.wait(after: failures, random: random), min(asked ?? 0, longestAsked))
  }
}
