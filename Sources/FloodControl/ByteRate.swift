/// The bytes that a bucket lets through: a steady rate, and a burst above it.
package struct ByteRate: Sendable, Hashable {
  /// The rate beside a flood limit of a few messages a second: ten channels at it are 5.2 Mbit/s.
  package static let leastPerSecond: Int64 = 65_536
  /// The burst beside such a limit: two events of the largest size.
  package static let leastBurst: Int64 = 131_072
  /// The size of a message that a flood limit with a high count has room for.
  private static let ordinaryMessage: Int64 = 1_024

  /// Bytes regained per second; 0 turns the limit off.
  package var bytesPerSecond: Int64
  /// Bytes that may come at once after a pause.
  package var burst: Int64

  package init(bytesPerSecond: Int64, burst: Int64) {
    self.bytesPerSecond = min(max(bytesPerSecond, 0), 1_000_000_000_000)
    self.burst = min(max(burst, 1), 1_000_000_000_000)
  }

  /// The rate that goes with a flood limit; off when that is.
  ///
  /// It never holds back messages of ordinary size, however many the flood limit lets through.
  package init(beside limit: RateLimit) {
    guard !limit.isOff else {
      self.init(bytesPerSecond: 0, burst: 1)
      return
    }
    let perWindow = Int64(limit.boundedCount) * Self.ordinaryMessage
    self.init(
      bytesPerSecond: max(Self.leastPerSecond, perWindow * 1_000 / limit.windowMilliseconds),
      burst: max(Self.leastBurst, perWindow))
  }

  /// Whether nothing is limited.
  package var isOff: Bool { bytesPerSecond <= 0 }
}
