/// The number of events that a sliding window admits, and the length of that window.
///
/// Either number at 0 turns the limit off. Counts above ``maximumCount`` act as that number.
package struct RateLimit: Sendable, Hashable {
  /// The largest count that a window keeps track of.
  package static let maximumCount = 10_000

  /// Admissions in any stretch of the window's length.
  package var count: Int
  /// Length of the window in milliseconds.
  package var windowMilliseconds: Int64

  package init(count: Int, windowMilliseconds: Int64) {
    self.count = count
    self.windowMilliseconds = windowMilliseconds
  }

  /// Whether nothing is limited.
  package var isOff: Bool { count <= 0 || windowMilliseconds <= 0 }

  /// The count that windows enforce.
  var boundedCount: Int { min(count, Self.maximumCount) }
}
