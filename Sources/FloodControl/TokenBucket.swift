/// The call budget of one connection: a bucket that refills steadily and admits bursts.
///
/// Counts in thousandths of a call, so that a whole number of them is regained per millisecond and
/// nothing is lost to rounding. Takes 24 bytes; a new bucket is full.
package struct TokenBucket: Sendable {
  static let costOfCall: Int64 = 1000
  /// The longest time that it takes to pay off a debt.
  static let longestDebtMilliseconds: Int64 = 10_000

  private var spent: Int64 = 0
  /// Calls charged beyond the capacity; paid off before anything else is regained.
  private var owed: Int64 = 0
  private var last = Int64.min

  package init() {}

  /// Takes one call out of the bucket, or returns the time until one is available.
  ///
  /// - Parameter now: Milliseconds of a steady clock. A time earlier than the last counts as equal
  ///   to it.
  /// - Returns: `nil` if the call may proceed, otherwise the wait in milliseconds, at least 1. A
  ///   refusal takes nothing.
  package mutating func take(at now: Int64, rate: CallRate) -> Int64? {
    if let wait = wait(at: now, rate: rate) { return wait }
    if !rate.isOff { spent += Self.costOfCall }
    return nil
  }

  /// The time until some calls may be taken; `nil` if they may be taken now.
  package mutating func wait(forCalls count: Int64 = 1, at now: Int64, rate: CallRate) -> Int64? {
    guard !rate.isOff else { return nil }
    refill(until: now, rate: rate)
    let missing = owed + spent + count * Self.costOfCall - rate.capacity
    guard missing > 0 else { return nil }
    let regained = rate.regainedPerMillisecond
    return (missing + regained - 1) / regained
  }

  /// Takes calls even from an empty bucket: the missing ones are a debt, up to ten seconds' worth.
  package mutating func charge(_ calls: Int64, at now: Int64, rate: CallRate) {
    guard !rate.isOff, calls > 0 else { return }
    refill(until: now, rate: rate)
    let (cost, overflow) = calls.multipliedReportingOverflow(by: Self.costOfCall)
    let (sum, tooMuch) = spent.addingReportingOverflow(overflow ? .max : cost)
    let excess = (tooMuch ? .max : sum) - rate.capacity
    spent = min(rate.capacity, tooMuch ? .max : sum)
    guard excess > 0 else { return }
    let most = rate.regainedPerMillisecond * Self.longestDebtMilliseconds
    owed = excess >= most - owed ? most : owed + excess
  }

  /// Puts back a call that was taken.
  package mutating func giveBack() { spent = max(0, spent - Self.costOfCall) }

  /// Whether the bucket is full.
  package func isFull(at now: Int64, rate: CallRate) -> Bool {
    var bucket = self
    bucket.refill(until: now, rate: rate)
    return bucket.spent == 0 && bucket.owed == 0
  }

  /// Whether there was a debt when the bucket was last updated.
  var mayBeIndebted: Bool { owed > 0 }

  /// The milliseconds until the debt is paid off; 0 without one.
  package mutating func debt(at now: Int64, rate: CallRate) -> Int64 {
    guard !rate.isOff else { return 0 }
    refill(until: now, rate: rate)
    let regained = rate.regainedPerMillisecond
    return (owed + regained - 1) / regained
  }

  private mutating func refill(until now: Int64, rate: CallRate) {
    guard now > last else { return }
    let (elapsed, overflow) = now.subtractingReportingOverflow(last)
    last = now
    let (regained, tooMuch) = elapsed.multipliedReportingOverflow(by: rate.regainedPerMillisecond)
    guard !overflow, !tooMuch else {
      (spent, owed) = (0, 0)
      return
    }
    let paid = min(owed, regained)
    owed -= paid
    spent = max(0, min(spent, rate.capacity) - (regained - paid))
  }
}

/// The calls that a token bucket admits: a steady rate, and a burst above it.
package struct CallRate: Sendable, Hashable {
  /// Calls regained per second; 0 turns the limit off.
  package var callsPerSecond: Int
  /// Calls that may arrive at once after a pause.
  package var burst: Int

  package init(callsPerSecond: Int, burst: Int) {
    self.callsPerSecond = callsPerSecond
    self.burst = burst
  }

  /// Whether the limit is off.
  package var isOff: Bool { callsPerSecond <= 0 }

  /// The thousandths of a call that are regained per millisecond.
  var regainedPerMillisecond: Int64 { Int64(clamping: min(callsPerSecond, 1_000_000_000)) }

  /// The size of a full bucket in thousandths of a call; one call always fits.
  var capacity: Int64 {
    Int64(clamping: min(max(burst, 1), 1_000_000_000)) * TokenBucket.costOfCall
  }
}
