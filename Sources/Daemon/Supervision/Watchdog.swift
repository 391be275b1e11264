internal import Synchronization

/// Tells a supervisor that the daemon lives, for as long as all its event loops take turns.
///
/// A thread that merely still runs would say nothing of the loops; so each sign of life waits for
/// theirs, and a loop that is stuck makes the supervisor miss it.
final class Watchdog: Sendable {
  private let daemon: any Daemon
  private let sign: @Sendable () -> Void
  private let isWaiting = Atomic(false)

  /// - Parameter sign: Called from any thread when all loops have answered.
  init(_ daemon: any Daemon, sign: @escaping @Sendable () -> Void) {
    self.daemon = daemon
    self.sign = sign
  }

  /// Asks the loops, unless they still owe an answer; to be called at half of the period.
  func tick() {
    guard !isWaiting.exchange(true, ordering: .acquiringAndReleasing) else { return }
    daemon.takePulse { [self] in
      sign()
      isWaiting.store(false, ordering: .releasing)
    }
  }
}
