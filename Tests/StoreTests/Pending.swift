import Dispatch
import Synchronization
import TestSupport

@testable import Store

/// An answer that was asked for, in a known order, and is waited for later.
final class Pending<T: Sendable>: Sendable {
  private let result = Mutex<Result<T, any Error>?>(nil)
  private let hasCome = DispatchSemaphore(value: 0)

  init(_ submit: (@escaping @Sendable (Result<T, any Error>) -> Void) -> Void) {
    submit { [self] answer in
      result.withLock { $0 = answer }
      hasCome.signal()
    }
  }

  func get() throws -> T {
    try Deadline.standard.wait(for: "an answer", on: hasCome)
    hasCome.signal()
    guard let answer = result.withLock({ $0 }) else { throw StoreError.closed }
    return try answer.get()
  }
}

extension Store {
  func pendingAppend(_ message: NewMessage) -> Pending<AppendOutcome> {
    Pending { append(message, completion: $0) }
  }

  func pendingWrite<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T
  ) -> Pending<T> {
    Pending { write(job, completion: $0) }
  }
}
