import Channels

/// Finds steps of a clock: changes of its offset from the steady clock between two checks.
///
/// A pure value. A clock that is corrected by running faster or slower makes no steps.
struct ClockSteps: Sendable {
  /// The smallest change that is a step, in milliseconds.
  static let smallest: Int64 = 1_000

  private var offset: Int64

  init(at now: Moment) { offset = now.unix - now.monotonic }

  /// Checks the clock.
  ///
  /// - Returns: The milliseconds by which the clock was set forward since the last check, negative
  ///   for a step back; `nil` without a step.
  mutating func look(at now: Moment) -> Int64? {
    let step = now.unix - now.monotonic - offset
    offset += step
    return abs(step) >= Self.smallest ? step : nil
  }
}
