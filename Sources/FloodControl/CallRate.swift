/// The calls that a token bucket admits: a steady rate, and a burst above it.
package struct CallRate: Sendable, Hashable {
  /// Calls regained per second; 0 turns the limit off.
  package var callsPerSecond: Int
  /// Calls that may come at once after a pause.
  package var burst: Int

  package init(callsPerSecond: Int, burst: Int) {
    self.callsPerSecond = callsPerSecond
    self.burst = burst
  }

  /// Whether nothing is limited.
  package var isOff: Bool { callsPerSecond <= 0 }

  /// The thousandth parts of a call that come back per millisecond.
  var regainedPerMillisecond: Int64 { Int64(clamping: min(callsPerSecond, 1_000_000_000)) }

  /// The size of a full bucket in thousandth parts of a call; one call always fits.
  var capacity: Int64 {
    Int64(clamping: min(max(burst, 1), 1_000_000_000)) * TokenBucket.costOfCall
  }
}
