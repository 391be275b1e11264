import Dispatch
import Foundation
import Synchronization
package import Testing

/// Runs tests on threads of their own.
///
/// Swift has as many threads for tasks as the machine has cores, and all tests share them. A test that blocks
/// its thread, in a read or while a server starts, would hold up the others.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadExecutor.shared) { try await body() }
  }
}

extension Trait where Self == OwnThreads {
  /// Runs tests on threads of their own, which they may block.
  package static var onOwnThreads: OwnThreads { OwnThreads() }
}

/// Runs each job on an idle thread, or on a new one if there is none.
final class ThreadExecutor: TaskExecutor {
  static let shared = ThreadExecutor()

  private struct State {
    var idle: [Worker] = []
    var threadCount = 0
    /// The jobs that wait for a thread, oldest first.
    var waiting: [UnownedJob] = []
  }

  /// Enough that not all are blocked; a group of a thousand tasks starts no thousand threads.
  private static let threadLimit = 64

  private let state = Mutex(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let worker = state.withLock { state -> Worker? in
      if let worker = state.idle.popLast() { return worker }
      guard state.threadCount < Self.threadLimit else {
        state.waiting.append(job)
        return nil
      }
      state.threadCount += 1
      return Worker()
    }
    worker?.take(job, of: self)
  }

  /// Returns the next job of a thread, which is idle if there is none.
  private func next(for worker: Worker) -> UnownedJob? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.idle.append(worker)
      return nil
    }
  }

  /// A thread, which is started with its first job.
  private final class Worker: Sendable {
    private let job = Mutex<UnownedJob?>(nil)
    private let hasJob = DispatchSemaphore(value: 0)
    private let isStarted = Mutex(false)

    /// Runs a job; the thread is idle.
    func take(_ job: UnownedJob, of executor: ThreadExecutor) {
      self.job.withLock { $0 = job }
      hasJob.signal()
      let mustStart = isStarted.withLock { isStarted in
        defer { isStarted = true }
        return !isStarted
      }
      if mustStart { Thread { self.run(for: executor) }.start() }
    }

    private func run(for executor: ThreadExecutor) {
      while true {
        hasJob.wait()
        var next = job.withLock { $0.take() }
        while let job = next {
          job.runSynchronously(on: executor.asUnownedTaskExecutor())
          next = executor.next(for: self)
        }
      }
    }
  }
}
