/// When the parts of a run begin and end, in nanoseconds of the monotonic clock.
struct LoadTimes: Sendable, Hashable {
  /// Senders begin.
  let start: Int64
  /// The measured stretch.
  let measureFrom: Int64
  let end: Int64
  /// The time from which messages count as sent during the disturbance.
  let disturbance: Int64?

  init(start: Int64, plan: LoadPlan) {
    self.start = start
    measureFrom = start + plan.warmUp
    end = measureFrom + plan.duration
    disturbance = plan.disturbanceTime.map { start + plan.warmUp + $0 }
  }

  /// The series that a delivery belongs to; `nil` outside of the measured stretch.
  func series(of intended: Int64) -> LatencySeries? {
    guard intended >= measureFrom, intended < end else { return nil }
    guard let disturbance, intended < disturbance else { return .delivery }
    return .baseline
  }
}
