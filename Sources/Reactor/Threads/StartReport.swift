import Dispatch
import Synchronization

/// How the nodes' threads have started, for the one who waits for them.
final class StartReport: Sendable {
  private let outcomes = Mutex<[Result<Void, StartError>]>([])
  private let reported = DispatchSemaphore(value: 0)

  func add(_ outcome: Result<Void, StartError>) {
    outcomes.withLock { $0.append(outcome) }
    reported.signal()
  }

  /// Waits for so many outcomes, and throws the first that is a failure.
  func wait(for count: Int) throws {
    for _ in 0..<count { reported.wait() }
    for outcome in outcomes.withLock({ $0 }) { try outcome.get() }
  }
}
