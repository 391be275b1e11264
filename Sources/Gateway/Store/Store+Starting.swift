import Dispatch
import Store
import Synchronization

extension Store {
  /// Reads and waits for the outcome; only while the gateway starts.
  func readNow<T: Sendable>(_ job: @escaping @Sendable (ReadTransaction) throws -> T) throws -> T {
    try Outcome<T>.awaited { lookUp(job, completion: $0) }
  }

  /// Writes and waits for the outcome; only while the gateway starts.
  func writeNow<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T
  ) throws -> T {
    try Outcome<T>.awaited { write(job, completion: $0) }
  }

  private final class Outcome<T: Sendable>: Sendable {
    private let value = Mutex<Result<T, any Error>?>(nil)

    static func awaited(
      _ submit: (@escaping @Sendable (Result<T, any Error>) -> Void) -> Void
    ) throws -> T {
      let done = DispatchSemaphore(value: 0)
      let outcome = Outcome()
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
