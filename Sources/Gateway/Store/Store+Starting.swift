import Dispatch
import Store
import Synchronization

extension Store {
  /// Reads and waits for the outcome; only while the gateway starts.
  func readNow<T: Sendable>(_ job: @escaping @Sendable (ReadTransaction) throws -> T) throws -> T {
    let done = DispatchSemaphore(value: 0)
    let outcome = Outcome<T>()
    read(job) { result in
      outcome.value.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    guard let result = outcome.value.withLock({ $0 }) else { throw StoreError.closed }
    return try result.get()
  }

  private final class Outcome<T: Sendable>: Sendable {
    let value = Mutex<Result<T, any Error>?>(nil)
  }
}
