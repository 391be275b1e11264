/// Bounds the calls of one caller: a steady rate, and a burst above it.
///
/// A call costs one. What it turns out to cost besides is charged later and may leave a debt:
/// refused calls, and time of the database. In debt every call is refused; with a second's worth of
/// it the caller is not read until it is paid off, since refusals cost too. A pure value; a new
/// one is full.
package struct CallBudget: Sendable {
  /// Time of a database reader that costs as much as a call.
  package static let nanosecondsPerCall: UInt64 = 5_000_000

  /// Bytes of a message, inflated, that cost as much as a call.
  package static let bytesPerCall = 16_384

  private var bucket = TokenBucket()

  package init() {}

  /// Pays for a call, or returns the time until there is enough.
  ///
  /// A refused call is charged like others.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  /// - Returns: `nil` when the call may go on, else the wait in milliseconds, at least 1.
  package mutating func take(at now: Int64, rate: CallRate) -> Int64? {
    guard bucket.take(at: now, rate: rate) != nil else { return nil }
    return charge(1, at: now, rate: rate)
  }

  /// Decides on a call that costs nothing unless it is refused: a message.
  ///
  /// - Returns: `nil` when the call may go on; in debt, which this deepens, the wait.
  package mutating func admitFree(at now: Int64, rate: CallRate) -> Int64? {
    guard bucket.debt(at: now, rate: rate) > 0 else { return nil }
    return charge(1, at: now, rate: rate)
  }

  /// Charges a call that was refused without having been paid for.
  package mutating func chargeRefusal(at now: Int64, rate: CallRate) {
    charge(1, at: now, rate: rate)
  }

  /// Charges a call that costs more than others from the outset.
  package mutating func charge(calls: Int, at now: Int64, rate: CallRate) {
    charge(Int64(calls), at: now, rate: rate)
  }

  /// Charges a message for its size: it is inflated, checked and parsed whatever it asks for.
  package mutating func charge(messageBytes count: Int, at now: Int64, rate: CallRate) {
    charge(Int64(count / Self.bytesPerCall), at: now, rate: rate)
  }

  /// Charges the time that a call took of a reader: the first 5 ms belong to the call itself, each
  /// 5 ms begun after them cost one more.
  package mutating func charge(readerNanoseconds time: UInt64, at now: Int64, rate: CallRate) {
    charge(Self.extraCalls(forReaderNanoseconds: time), at: now, rate: rate)
  }

  /// The calls that time of a reader costs beyond the call itself.
  package static func extraCalls(forReaderNanoseconds time: UInt64) -> Int64 {
    time == 0 ? 0 : Int64(clamping: (time - 1) / nanosecondsPerCall)
  }

  /// Whether there may be a debt, without a look at the time.
  package var mayBeIndebted: Bool { bucket.mayBeIndebted }

  /// The time for which the caller should not be read; `nil` when the debt is less than a second's
  /// worth.
  package mutating func silence(at now: Int64, rate: CallRate) -> Int64? {
    let debt = bucket.debt(at: now, rate: rate)
    guard debt >= 1000 else { return nil }
    return debt
  }

  @discardableResult
  private mutating func charge(_ calls: Int64, at now: Int64, rate: CallRate) -> Int64? {
    bucket.charge(calls, at: now, rate: rate)
    return bucket.wait(at: now, rate: rate)
  }
}
