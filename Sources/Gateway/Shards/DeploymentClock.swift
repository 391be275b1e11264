import Channels
import Reactor
import Synchronization

/// The deployment's wall clock: the time of messages, tokens and retention.
///
/// On a single server it is the system clock. In a cluster it is the clock of the database, and the
/// system clock is not used, because that of one server may be wrong. The clock follows steps in both
/// directions at once, so it may go back. Between steps, its time is the steady clock plus an offset
/// that is rarely reduced, so that intervals by the two clocks are equal.
final class DeploymentClock: Sendable {
  /// Milliseconds by which the offset may be too large before it is reduced.
  static let drift: Int64 = 100
  /// Milliseconds by which the time stands still instead of going back.
  static let tolerance: Int64 = 1_000
  /// Milliseconds between two readings of the steady clock from which the one between them is doubted.
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
  /// - Parameter clusterOffset: Returns the milliseconds to add to the steady clock; `nil` for the first
  ///   value.
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
    // A thread that was delayed between the two readings would see a step.
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

  /// The time by the known offset, which is the normal case; `nil` if the readings have another offset.
  private func followed(unix: Int64, monotonic: Int64) -> Moment? {
    let time = monotonic + offset.load(ordering: .relaxed)
    guard time >= unix, time - unix <= Self.drift else { return nil }
    return Moment(unix: reached(time), monotonic: monotonic)
  }

  /// The time, unless a slightly later time was read before.
  private func reached(_ time: Int64) -> Int64 {
    // Most readings are in the same millisecond as the last one.
    let known = latest.load(ordering: .relaxed)
    guard time != known else { return time }
    guard time < known else { return latest.max(time, ordering: .relaxed).newValue }
    guard known - time > Self.tolerance else { return known }
    // A thread that read before the step may write its time after this. The next reading corrects it.
    latest.store(time, ordering: .relaxed)
    return time
  }
}
