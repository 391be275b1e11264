import Dispatch
import Synchronization

/// How threads have started, for the one who waits for them.
package final class StartReport<Failure: Error>: Sendable {
  private let outcomes = Mutex<[Result<Void, Failure>]>([])
  private let reported = DispatchSemaphore(value: 0)

  package init() {}

  /// Tells how one has started.
  package func add(_ outcome: Result<Void, Failure>) {
    outcomes.withLock { $0.append(outcome) }
    reported.signal()
  }

  /// Waits for so many outcomes.
  ///
  /// - Throws: The first that is a failure.
  package func wait(for count: Int) throws(Failure) {
    for _ in 0..<count { reported.wait() }
    for outcome in outcomes.withLock({ $0 }) { try outcome.get() }
  }
}
