import Reactor
import Synchronization

/// The time that messages carry: the administrator's clock, except that it never goes back while
/// the process lives.
///
/// When the system's clock is set back, this one goes on at its own pace from where it was; when
/// it is set forward, this one follows.
final class DeploymentClock: Sendable {
  /// Unix time minus monotonic time, in milliseconds; only ever raised.
  private let offset: Atomic<Int64>
  /// Returns the milliseconds by which the cluster's clock is ahead of the system's; `nil` for a server
  /// alone.
  private let correction: (@Sendable () -> Int64)?

  /// Starts from the system's clocks.
  convenience init(correction: (@Sendable () -> Int64)? = nil) {
    let unix = SystemClock.unixMilliseconds + (correction?() ?? 0)
    self.init(
      unix: unix, monotonic: SystemClock.monotonicMilliseconds, correction: correction)
  }

  /// Starts from readings of the two clocks.
  init(unix: Int64, monotonic: Int64, correction: (@Sendable () -> Int64)? = nil) {
    offset = Atomic(unix - monotonic)
    self.correction = correction
  }

  /// Unix milliseconds.
  var now: Int64 {
    // In this order: were the thread held up between the two the other way round, the clock would
    // be ahead by that time for good.
    var unix = SystemClock.unixMilliseconds
    if let correction { unix += correction() }
    return reading(unix: unix, monotonic: SystemClock.monotonicMilliseconds)
  }

  /// The time for readings of the two clocks.
  func reading(unix: Int64, monotonic: Int64) -> Int64 {
    let (_, known) = offset.max(unix - monotonic, ordering: .relaxed)
    return monotonic + known
  }
}
