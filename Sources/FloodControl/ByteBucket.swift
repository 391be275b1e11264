/// A token bucket of bytes, for events whose exact size is known only afterwards.
///
/// Counts in thousandths of a byte, so that a whole number of them is regained per millisecond and
/// nothing is lost to rounding. Takes 16 bytes; a new bucket is full. An event that is larger than
/// estimated puts the bucket into debt, and the next event waits longer.
package struct ByteBucket: Sendable {
  private static let partsOfByte: Int64 = 1_000
  /// Larger amounts count as this one, which still fits after multiplication by a thousand.
  private static let largestAmount: Int64 = 1 << 40

  private var spent: Int64 = 0
  private var last = Int64.min

  package init() {}

  /// The milliseconds until this many bytes may be taken; `nil` if they may be taken at once.
  ///
  /// A full bucket admits any amount, even more than it holds.
  package func wait(for bytes: Int, at now: Int64, rate: ByteRate) -> Int64? {
    guard !rate.isOff else { return nil }
    let spent = spent(at: now, rate: rate)
    let room = max(0, rate.burst * Self.partsOfByte - Self.parts(bytes))
    guard spent > room else { return nil }
    return (spent - room + rate.bytesPerSecond - 1) / rate.bytesPerSecond
  }

  /// Takes bytes out of the bucket, even if it does not have that many.
  package mutating func take(_ bytes: Int, at now: Int64, rate: ByteRate) {
    guard !rate.isOff else { return }
    spent = spent(at: now, rate: rate) + Self.parts(bytes)
    last = max(last, now)
  }

  /// Puts back bytes that were not used.
  package mutating func putBack(_ bytes: Int) {
    spent = max(0, spent - Self.parts(bytes))
  }

  /// Whether the bucket is full, and so can be replaced by a new one.
  package func isFull(at now: Int64, rate: ByteRate) -> Bool {
    rate.isOff || spent(at: now, rate: rate) == 0
  }

  /// The missing part at a time that is not before the last one.
  private func spent(at now: Int64, rate: ByteRate) -> Int64 {
    guard now > last, spent > 0 else { return spent }
    let (elapsed, overflow) = now.subtractingReportingOverflow(last)
    // Bytes per second are thousandths of a byte per millisecond.
    let (regained, tooMuch) = elapsed.multipliedReportingOverflow(by: rate.bytesPerSecond)
    return overflow || tooMuch ? 0 : max(0, spent - regained)
  }

  private static func parts(_ bytes: Int) -> Int64 {
    min(max(Int64(bytes), 0), largestAmount) * partsOfByte
  }
}

/// The bytes that a bucket lets through: a steady rate, and a burst above it.
package struct ByteRate: Sendable, Hashable {
  /// The minimum rate for a flood limit of a few messages a second: ten channels at it are 5.2 Mbit/s.
  package static let leastPerSecond: Int64 = 65_536
  /// The minimum burst for such a limit: two events of the largest size.
  package static let leastBurst: Int64 = 131_072
  /// The size of a message that a flood limit with a high count allows for.
  private static let ordinaryMessage: Int64 = 1_024

  /// Bytes regained per second; 0 turns the limit off.
  package var bytesPerSecond: Int64
  /// Bytes that may arrive at once after a pause.
  package var burst: Int64

  package init(bytesPerSecond: Int64, burst: Int64) {
    self.bytesPerSecond = min(max(bytesPerSecond, 0), 1_000_000_000_000)
    self.burst = min(max(burst, 1), 1_000_000_000_000)
  }

  /// The byte rate that matches a flood limit; off if the flood limit is off.
  ///
  /// Never holds back messages of ordinary size, however many the flood limit admits.
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

  /// Whether the limit is off.
  package var isOff: Bool { bytesPerSecond <= 0 }
}
