import Dispatch
import Reactor
import Synchronization

/// How a thread has started, for the one who waits for it.
final class StartReport: Sendable {
  private let failure = Mutex<SystemError?>(nil)
  private let reported = DispatchSemaphore(value: 0)

  func report(_ error: SystemError?) {
    failure.withLock { $0 = error }
    reported.signal()
  }

  /// - Returns: Why it could not start; `nil` when it could.
  func wait() -> SystemError? {
    reported.wait()
    return failure.withLock { $0 }
  }
}
