/// Bounds the calls of one caller: a steady rate, and a burst above it.
///
/// A call costs one. Additional costs, for refused calls and for database time, are charged later
/// and may leave a debt. In debt every call is refused; with a debt of a second or more the
/// caller's input is not read until the debt is paid off, since refusals cost too. A pure value; a
/// new budget is full.
package struct CallBudget: Sendable {
  /// Time of a database reader that costs as much as one call.
  package static let nanosecondsPerCall: UInt64 = 5_000_000

  /// Inflated bytes of a message that cost as much as one call.
  package static let bytesPerCall = 16_384

  private var bucket = TokenBucket()

  package init() {}

  /// Pays for a call, or returns the time until the budget suffices.
  ///
  /// A refused call is charged like any other.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  /// - Returns: `nil` if the call may proceed, otherwise the wait in milliseconds, at least 1.
  package mutating func take(at now: Int64, rate: CallRate) -> Int64? {
    guard bucket.take(at: now, rate: rate) != nil else { return nil }
    return charge(1, at: now, rate: rate)
  }

  /// Decides on a message, which costs nothing unless it is refused.
  ///
  /// - Returns: `nil` if the message may proceed; in debt, which the refusal increases, the wait.
  package mutating func admitFree(at now: Int64, rate: CallRate) -> Int64? {
    guard bucket.debt(at: now, rate: rate) > 0 else { return nil }
    return charge(1, at: now, rate: rate)
  }

  /// Charges a refused call that was not paid for.
  package mutating func chargeRefusal(at now: Int64, rate: CallRate) {
    charge(1, at: now, rate: rate)
  }

  /// Charges a call that costs more than others from the outset.
  package mutating func charge(calls: Int, at now: Int64, rate: CallRate) {
    charge(Int64(calls), at: now, rate: rate)
  }

  /// Pays for a call that costs more than others, or for nothing of it.
  ///
  /// A call that costs more than the burst may be made with a full budget, and leaves a debt.
  ///
  /// - Parameter calls: The number of calls that it costs beyond its own, which is paid.
  /// - Returns: `nil` if the call may proceed, otherwise the wait in milliseconds, at least 1.
  package mutating func take(further calls: Int, at now: Int64, rate: CallRate) -> Int64? {
    let needed = Int64(clamping: min(calls, rate.burst - 1))
    if needed > 0, let wait = bucket.wait(forCalls: needed, at: now, rate: rate) { return wait }
    charge(calls: calls, at: now, rate: rate)
    return nil
  }

  /// Charges a message for its size: it is inflated, checked and parsed whatever it requests.
  package mutating func charge(messageBytes count: Int, at now: Int64, rate: CallRate) {
    charge(Int64(count / Self.bytesPerCall), at: now, rate: rate)
  }

  /// Charges the reader time of a call: the first 5 ms are included in the price of the call, each
  /// further 5 ms begun cost one more call.
  package mutating func charge(readerNanoseconds time: UInt64, at now: Int64, rate: CallRate) {
    charge(Self.extraCalls(forReaderNanoseconds: time), at: now, rate: rate)
  }

  /// The cost of reader time in calls, beyond the call itself.
  package static func extraCalls(forReaderNanoseconds time: UInt64) -> Int64 {
    time == 0 ? 0 : Int64(clamping: (time - 1) / nanosecondsPerCall)
  }

  /// Whether there may be a debt, without checking the time.
  package var mayBeIndebted: Bool { bucket.mayBeIndebted }

  /// The time for which the caller should not be read; `nil` if the debt is less than a second's
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
