import Channels

/// Finds steps of a clock: changes of its difference to the steady clock from one look to the next.
///
/// A pure value. A clock that is corrected by running faster or slower makes no steps.
struct ClockSteps: Sendable {
  /// Milliseconds from which a change is a step.
  static let smallest: Int64 = 1_000

  private var offset: Int64

  init(at now: Moment) { offset = now.unix - now.monotonic }

  /// Looks at the clock.
  ///
  /// - Returns: The milliseconds by which the clock was set forward since the last look, negative for a
  ///   step back; `nil` without a step.
  mutating func look(at now: Moment) -> Int64? {
    let step = now.unix - now.monotonic - offset
    offset += step
    return abs(step) >= Self.smallest ? step : nil
  }
}
