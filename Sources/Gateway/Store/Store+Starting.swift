import Dispatch
import Store
import Synchronization

extension Store {
  /// Performs a look-up and waits for the outcome.
  ///
  /// Used only while the gateway starts.
  func performNow<Lookup: StoreLookup>(_ lookup: Lookup) throws(StoreError) -> Lookup.Outcome {
    try repeating { perform(lookup, completion: $0) }
  }

  /// Performs a write and waits for the outcome.
  ///
  /// Used only while the gateway starts.
  func performNow<Write: StoreWrite>(_ write: Write) throws(StoreError) -> Write.Outcome {
    try repeating { perform(write, completion: $0) }
  }

  /// Resubmits a job that was not executed, as long as the start waits for PostgreSQL.
  private func repeating<T: Sendable>(
    _ submit: (@escaping @Sendable (Result<T, StoreError>) -> Void) -> Void
  ) throws(StoreError) -> T {
    while true {
      do throws(StoreError) {
        return try Outcome.awaited(submit)
      } catch {
        guard case .unavailable(let reason) = error, waitForServer(reason) else { throw error }
      }
    }
  }

  private final class Outcome<T: Sendable>: Sendable {
    private let value = Mutex<Result<T, StoreError>?>(nil)

    static func awaited(
      _ submit: (@escaping @Sendable (Result<T, StoreError>) -> Void) -> Void
    ) throws(StoreError) -> T {
      let done = DispatchSemaphore(value: 0)
      let outcome = Outcome<T>()
      submit { result in
        outcome.value.withLock { $0 = result }
        done.signal()
      }
      done.wait()
      guard let result = outcome.value.withLock({ $0 }) else { throw StoreError.closed }
      return try result.get()
    }
  }
}
