/// Computes waits between consecutive failed attempts: exponential, with jitter, so that clients that
/// failed together do not retry together.
package struct Backoff: Sendable, Hashable {
  /// The random part of a wait.
  package enum Jitter: Sendable, Hashable {
    /// From zero to the ceiling.
    case full
    /// From half the ceiling to the ceiling, so that every failure costs a pause.
    case equal
  }

  /// The ceiling of the first wait, in milliseconds.
  package var first: Int64
  /// The ceiling of all waits, in milliseconds.
  package var limit: Int64
  package var jitter: Jitter

  /// The maximum value of `limit`, which is one day.
  private static let longestLimit: Int64 = 86_400_000

  package init(first: Int64, limit: Int64, jitter: Jitter) {
    self.first = first
    self.limit = limit
    self.jitter = jitter
  }

  /// The wait before the next attempt, in milliseconds.
  ///
  /// - Parameters:
  ///   - failures: The number of consecutive failed attempts; less than 1 counts as 1.
  ///   - random: Any number; determines the position of the wait below the ceiling.
  package func wait(after failures: Int, random: UInt64) -> Int64 {
    let ceiling = ceiling(after: failures)
    let fixed = jitter == .equal ? ceiling / 2 : 0
    return fixed + Int64(random % UInt64(ceiling - fixed + 1))
  }

  /// The longest wait after a number of consecutive failures: doubled each time, up to the limit.
  package func ceiling(after failures: Int) -> Int64 {
    let limit = min(max(0, limit), Self.longestLimit)
    let doublings = Int64(min(max(failures, 1) - 1, 30))
    let (product, isOverflow) = max(0, first).multipliedReportingOverflow(by: 1 << doublings)
    return isOverflow ? limit : min(limit, product)
  }
}
