import Dispatch
import Foundation

/// Threads for what blocks, since the test runner has only a few for tasks.
package enum TestThread {
  /// Runs `body` on a thread that nobody waits for.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    Thread(block: body).start()
  }

  /// Runs `body` with each number below `count` at the same time, and waits for all.
  ///
  /// - Returns: What they returned, in order. A body must keep no hold on what it returns, for it
  ///   belongs to the caller then.
  /// - Throws: The first error of any, after all have ended.
  package static func concurrently<Value>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
  ) throws -> [Value] {
    try concurrentlyStarted(count, body)()
  }

  /// Starts `body` with each number below `count`, and returns what waits for all.
  package static func concurrentlyStarted<Value>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
  ) -> () throws -> [Value] {
    let results = (0..<count).map { _ in Handover<Value>() }
    for index in 0..<count {
      start { results[index].finish(Result { try body(index) }) }
    }
    return {
      for result in results { result.wait() }
      return try results.map { try $0.value.get() }
    }
  }
}

/// Carries what a thread has made to the one that waits for it.
///
/// Unchecked, because a value may be of any type: it is written once before the semaphore is
/// signalled and read only after that, so the threads never have it at the same time.
private final class Handover<Value>: @unchecked Sendable {
  private(set) var value: Result<Value, any Error> = .failure(TestFailure("nothing came"))
  private let finished = DispatchSemaphore(value: 0)

  func finish(_ value: Result<Value, any Error>) {
    self.value = value
    finished.signal()
  }

  func wait() {
    finished.wait()
  }
}
