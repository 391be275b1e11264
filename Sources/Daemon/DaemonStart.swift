internal import Glibc
internal import Synchronization

/// The start of a daemon, which may have to wait for something: for a database, for example.
package final class DaemonStart: Sendable {
  /// How often a pause of half a second looks for a signal.
  private static let steps = 10
  private static let stepMicroseconds: UInt32 = 50_000

  private let supervision: Supervision
  private let isCancelled = Atomic(false)

  init(_ supervision: Supervision) {
    self.supervision = supervision
  }

  /// Waits for the time of another attempt, and lets the supervisor know the reason.
  ///
  /// - Returns: Whether to go on; `false` after a signal to end.
  package func wait(_ reason: String) -> Bool {
    guard !wasCancelled else { return false }
    supervision.isWaiting(for: reason)
    for _ in 0..<Self.steps where !wasCancelled { usleep(Self.stepMicroseconds) }
    return !wasCancelled
  }

  /// Whether a signal has asked the process to end before the daemon was there.
  var wasCancelled: Bool { isCancelled.load(ordering: .relaxed) }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }
}
