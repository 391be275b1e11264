import Synchronization

/// Makes message ids: unique in the deployment, increasing, exact in JavaScript.
///
///     id = (milliseconds since 2025-01-01) · 2^12, or one more than the last
///
/// 41 bits of time last until 2094; 4,096 ids a millisecond come before an id runs ahead of it.
final class MessageIDs: Sendable {
  private static let beginning: Int64 = 1_735_689_600_000
  private let last: Atomic<Int64>

  /// - Parameter last: The highest id that was ever given out.
  init(after last: Int64) {
    self.last = Atomic(last)
  }

  /// The next id.
  func next(at now: Int64) -> Int64 {
    let timely = max(now - Self.beginning, 0) << 12
    var known = last.load(ordering: .relaxed)
    while true {
      let candidate = max(known + 1, timely)
      let (isExchanged, current) = last.weakCompareExchange(
        expected: known, desired: candidate, ordering: .relaxed)
      if isExchanged { return candidate }
      known = current
    }
  }
}
