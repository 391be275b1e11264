import Dispatch
import Synchronization

/// The outcomes of starting threads, for the thread that waits for them.
package final class StartReport<Failure: Error>: Sendable {
  private let outcomes = Mutex<[Result<Void, Failure>]>([])
  private let reported = DispatchSemaphore(value: 0)

  package init() {}

  /// Tells how one has started.
  package func add(_ outcome: Result<Void, Failure>) {
    outcomes.withLock { $0.append(outcome) }
    reported.signal()
  }

  /// Waits for `count` outcomes.
  ///
  /// - Throws: The first that is a failure.
  package func wait(for count: Int) throws(Failure) {
    for _ in 0..<count { reported.wait() }
    for outcome in outcomes.withLock({ $0 }) { try outcome.get() }
  }
}
