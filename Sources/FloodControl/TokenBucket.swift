/// The calls of one connection: a bucket that refills steadily and lets a burst through.
///
/// Counts in thousandth parts of a call, so that a whole number of them comes back per
/// millisecond and nothing is lost to rounding. 16 bytes; a new one is full.
package struct TokenBucket: Sendable {
  static let costOfCall: Int64 = 1000

  private var spent: Int64 = 0
  private var last = Int64.min

  package init() {}

  /// Takes one call out of the bucket, or says how long until there is one.
  ///
  /// - Parameter now: Milliseconds of a steady clock. One that is earlier than the last counts as
  ///   equal to it.
  /// - Returns: `nil` when the call may go on, else the wait in milliseconds, at least 1. A refusal
  ///   takes nothing.
  package mutating func take(at now: Int64, rate: CallRate) -> Int64? {
    guard !rate.isOff else { return nil }
    refill(until: now, rate: rate)
    let missing = spent + Self.costOfCall - rate.capacity
    guard missing > 0 else {
      spent += Self.costOfCall
      return nil
    }
    let regained = rate.regainedPerMillisecond
    return (missing + regained - 1) / regained
  }

  private mutating func refill(until now: Int64, rate: CallRate) {
    guard now > last else { return }
    let (elapsed, overflow) = now.subtractingReportingOverflow(last)
    last = now
    let (regained, tooMuch) = elapsed.multipliedReportingOverflow(by: rate.regainedPerMillisecond)
    spent = overflow || tooMuch ? 0 : max(0, min(spent, rate.capacity) - regained)
  }
}
