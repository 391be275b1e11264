import Channels
import Reactor
import Synchronization

/// The deployment's wall clock: the time of messages, tokens and retention.
///
/// On a server alone it is the system's clock. In a cluster it is the clock of the database, and the
/// system's clock plays no part: that of one server may be wrong. It follows steps in both directions at
/// once, so it may go back. Between steps, its time is the steady clock's plus a difference that hardly
/// ever falls: what is so far apart by the steady clock is so far apart by this one.
final class DeploymentClock: Sendable {
  /// Milliseconds by which the difference may be too large before it falls.
  static let drift: Int64 = 100
  /// Milliseconds by which the time does not go back but stands still.
  static let tolerance: Int64 = 1_000
  /// Milliseconds between two readings of the steady clock from which on the one between them is doubted.
  private static let delay: Int64 = 50

  private let source: @Sendable () -> Int64
  /// Milliseconds to add to the steady clock.
  private let offset = Atomic(Int64.min / 2)
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
  var now: Int64 { moment.unix }

  /// The time by this clock and by the steady clock.
  var moment: Moment {
    var (start, unix) = (SystemClock.monotonicMilliseconds, source())
    if let moment = followed(unix: unix, monotonic: start) { return moment }
    var end = SystemClock.monotonicMilliseconds
    // A thread that was held up between the two would see a step.
    for _ in 0..<5 where end - start >= Self.delay {
      (start, unix) = (end, source())
      end = SystemClock.monotonicMilliseconds
    }
    return moment(unix: unix, monotonic: end)
  }

  /// The time for readings of the source and of the steady clock.
  func moment(unix: Int64, monotonic: Int64) -> Moment {
    if let moment = followed(unix: unix, monotonic: monotonic) { return moment }
    offset.store(unix - monotonic, ordering: .relaxed)
    return Moment(unix: reached(unix), monotonic: monotonic)
  }

  /// The time by the difference that is known, as nearly always; `nil` if the readings have another one.
  private func followed(unix: Int64, monotonic: Int64) -> Moment? {
    let time = monotonic + offset.load(ordering: .relaxed)
    guard time >= unix, time - unix <= Self.drift else { return nil }
    return Moment(unix: reached(time), monotonic: monotonic)
  }

  /// The time, unless a slightly later one was read before.
  private func reached(_ time: Int64) -> Int64 {
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
