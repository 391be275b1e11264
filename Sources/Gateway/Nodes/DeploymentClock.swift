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

  init() {
    offset = Atomic(SystemClock.unixMilliseconds - SystemClock.monotonicMilliseconds)
  }

  /// Unix milliseconds.
  var now: Int64 {
    let monotonic = SystemClock.monotonicMilliseconds
    let measured = SystemClock.unixMilliseconds - monotonic
    let (_, known) = offset.max(measured, ordering: .relaxed)
    return monotonic + known
  }
}
