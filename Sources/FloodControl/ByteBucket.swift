/// A token bucket of bytes, for things whose size is known for certain only afterwards.
///
/// Counts in thousandth parts of a byte, so that a whole number of them comes back per millisecond
/// and nothing is lost to rounding. 16 bytes; a new one is full. What turns out larger than was
/// taken for it puts the bucket into debt, and what comes next waits for longer.
package struct ByteBucket: Sendable {
  private static let partsOfByte: Int64 = 1_000
  /// Larger amounts count as this one: a thousand times it still fits.
  private static let largestAmount: Int64 = 1 << 40

  private var spent: Int64 = 0
  private var last = Int64.min

  package init() {}

  /// The milliseconds until this many bytes may be taken; `nil` when they may be at once.
  ///
  /// A full bucket lets anything through, were it larger than the bucket.
  package func wait(for bytes: Int, at now: Int64, rate: ByteRate) -> Int64? {
    guard !rate.isOff else { return nil }
    let spent = spent(at: now, rate: rate)
    let room = max(0, rate.burst * Self.partsOfByte - Self.parts(bytes))
    guard spent > room else { return nil }
    return (spent - room + rate.bytesPerSecond - 1) / rate.bytesPerSecond
  }

  /// Takes bytes out, whether or not they are there.
  package mutating func take(_ bytes: Int, at now: Int64, rate: ByteRate) {
    guard !rate.isOff else { return }
    spent = spent(at: now, rate: rate) + Self.parts(bytes)
    last = max(last, now)
  }

  /// Puts bytes back that came to nothing.
  package mutating func putBack(_ bytes: Int) {
    spent = max(0, spent - Self.parts(bytes))
  }

  /// Whether the bucket is full, so that a new one would do.
  package func isFull(at now: Int64, rate: ByteRate) -> Bool {
    rate.isOff || spent(at: now, rate: rate) == 0
  }

  /// The missing part at a time that is no earlier than the last.
  private func spent(at now: Int64, rate: ByteRate) -> Int64 {
    guard now > last, spent > 0 else { return spent }
    let (elapsed, overflow) = now.subtractingReportingOverflow(last)
    // Bytes per second are thousandth parts per millisecond.
    let (regained, tooMuch) = elapsed.multipliedReportingOverflow(by: rate.bytesPerSecond)
    return overflow || tooMuch ? 0 : max(0, spent - regained)
  }

  private static func parts(_ bytes: Int) -> Int64 {
    min(max(Int64(bytes), 0), largestAmount) * partsOfByte
  }
}

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
