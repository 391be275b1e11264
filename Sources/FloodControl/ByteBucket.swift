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
