import Channels
import Reactor
import Synchronization

/// The deployment's wall clock: the time of messages, tokens and retention.
///
/// On a server alone it is the system's clock. In a cluster it is the clock of the database, and the
/// system's clock plays no part: that of one server may be wrong. It follows steps in both directions at
/// once. Only a fall of up to ``tolerance`` is waited out: readings on two threads, and corrections of a
/// cluster's clock, differ by as much. So it may go back. Durations are measured on the steady clock.
final class DeploymentClock: Sendable {
  /// Milliseconds by which a reading may be less than an earlier one, and counts as equal to it.
  static let tolerance: Int64 = 1_000

  private let source: @Sendable () -> Int64
  /// The latest time that was read, since the last step.
  private let latest = Atomic(Int64.min)

  /// - Parameter source: Returns Unix milliseconds.
  init(_ source: @escaping @Sendable () -> Int64 = { SystemClock.unixMilliseconds }) {
    self.source = source
  }

  /// Starts from a cluster's clock.
  ///
  /// - Parameter clusterOffset: Returns the milliseconds to add to the steady clock; `nil` for those known
  ///   at first.
  convenience init(clusterOffset: @escaping @Sendable () -> Int64?) {
    let first = clusterOffset() ?? 0
    self.init { SystemClock.monotonicMilliseconds + (clusterOffset() ?? first) }
  }

  /// Unix milliseconds.
  var now: Int64 { reading(source()) }

  /// The time by this clock and by the steady clock, read together.
  var moment: Moment {
    var moment = Moment(unix: 0, monotonic: SystemClock.monotonicMilliseconds)
    // A thread that is held up between the two would see a step.
    for _ in 0..<5 {
      let start = moment.monotonic
      moment = Moment(unix: now, monotonic: SystemClock.monotonicMilliseconds)
      if moment.monotonic - start < 100 { break }
    }
    return moment
  }

  /// The time for a reading of the source.
  func reading(_ time: Int64) -> Int64 {
    // Most readings fall into a millisecond that is known.
    let known = latest.load(ordering: .relaxed)
    guard time != known else { return time }
    guard time < known else { return latest.max(time, ordering: .relaxed).newValue }
    guard known - time > Self.tolerance else { return known }
    // A thread that has read before the step may write its time after this; the next reading follows.
    latest.store(time, ordering: .relaxed)
    return time
  }
}
