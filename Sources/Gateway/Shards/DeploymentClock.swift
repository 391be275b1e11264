import Reactor
import Synchronization

/// The time that messages carry; it never goes back while the process lives.
///
/// On a server alone it is the administrator's clock. When the system's clock is set back, this one
/// goes on at its own pace from where it was; when it is set forward, this one follows. In a cluster it
/// is the clock of the database, and the system's clock plays no part: that of one server may be wrong.
final class DeploymentClock: Sendable {
  private enum Source: Sendable {
    case system
    /// The steady clock and the milliseconds to add to it; `nil` while they are not known.
    case cluster(offset: @Sendable () -> Int64?)
  }

  private let source: Source
  /// On a server alone: Unix time minus monotonic time, in milliseconds; only ever raised.
  private let offset: Atomic<Int64>
  /// In a cluster: the latest time that was read.
  private let latest = Atomic(Int64.min)

  /// Starts from the system's clocks.
  convenience init() {
    self.init(
      unix: SystemClock.unixMilliseconds, monotonic: SystemClock.monotonicMilliseconds)
  }

  /// Starts from readings of the system's two clocks.
  init(unix: Int64, monotonic: Int64) {
    source = .system
    offset = Atomic(unix - monotonic)
  }

  /// Starts from a cluster's clock.
  ///
  /// - Parameter clusterOffset: Returns the milliseconds to add to the steady clock; `nil` for those known
  ///   before. They may fall.
  init(clusterOffset: @escaping @Sendable () -> Int64?) {
    source = .cluster(offset: clusterOffset)
    offset = Atomic(clusterOffset() ?? 0)
  }

  /// Unix milliseconds.
  var now: Int64 {
    switch source {
    case .system:
      // In this order: were the thread held up between the two the other way round, the clock would
      // be ahead by that time for good.
      let unix = SystemClock.unixMilliseconds
      return reading(unix: unix, monotonic: SystemClock.monotonicMilliseconds)
    case .cluster(let offset):
      return reading(monotonic: SystemClock.monotonicMilliseconds, offset: offset())
    }
  }

  /// The time of a server alone for readings of the two clocks.
  func reading(unix: Int64, monotonic: Int64) -> Int64 {
    let (_, known) = offset.max(unix - monotonic, ordering: .relaxed)
    return monotonic + known
  }

  /// The time of a cluster for a reading of the steady clock.
  func reading(monotonic: Int64, offset clusterOffset: Int64?) -> Int64 {
    let time = monotonic + (clusterOffset ?? offset.load(ordering: .relaxed))
    // Most readings fall into a millisecond that is known.
    let known = latest.load(ordering: .relaxed)
    guard time > known else { return known }
    return latest.max(time, ordering: .relaxed).newValue
  }
}
