import Dispatch
import Foundation

/// A thread of the store's own, which can be waited for.
///
/// Not a dispatch queue: file writes block, and must not use up the shared pool's threads.
struct WorkerThread: Sendable {
  private let hasEnded = DispatchSemaphore(value: 0)

  init(name: String, _ body: @escaping @Sendable () -> Void) {
    let hasEnded = hasEnded
    let thread = Thread {
      body()
      hasEnded.signal()
    }
    thread.name = name
    thread.stackSize = 4 << 20
    thread.start()
  }

  /// Blocks until the body has returned; call it once.
  func join() {
    hasEnded.wait()
  }
}
