import Dispatch
import Store
import Synchronization

extension Store {
  /// Looks up and waits for the outcome; only while the gateway starts.
  func performNow<Lookup: StoreLookup>(_ lookup: Lookup) throws(StoreError) -> Lookup.Outcome {
    try Outcome.awaited { perform(lookup, completion: $0) }
  }

  /// Writes and waits for the outcome; only while the gateway starts.
  func performNow<Write: StoreWrite>(_ write: Write) throws(StoreError) -> Write.Outcome {
    try Outcome.awaited { perform(write, completion: $0) }
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
