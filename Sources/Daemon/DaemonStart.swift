internal import Glibc
internal import Synchronization

/// The start of a daemon, which may have to wait, for example for a database.
package final class DaemonStart: Sendable {
  /// The number of checks for a signal in a pause of half a second.
  private static let steps = 10
  private static let stepMicroseconds: UInt32 = 50_000

  private let supervision: Supervision
  private let isCancelled = Atomic(false)

  init(_ supervision: Supervision) {
    self.supervision = supervision
  }

  /// Waits until the next attempt is due, and notifies the supervisor of the reason.
  ///
  /// - Returns: Whether to continue; `false` after a termination signal.
  package func wait(_ reason: String) -> Bool {
    guard !wasCancelled else { return false }
    supervision.isWaiting(for: reason)
    for _ in 0..<Self.steps where !wasCancelled { usleep(Self.stepMicroseconds) }
    return !wasCancelled
  }

  /// Whether a signal has requested termination before the daemon was created.
  var wasCancelled: Bool { isCancelled.load(ordering: .relaxed) }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }
}
