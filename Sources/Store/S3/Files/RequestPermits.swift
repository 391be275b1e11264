import DequeModule
import Synchronization

/// Limits the number of concurrent requests that use much memory.
final class RequestPermits: Sendable {
  typealias Work = @Sendable () -> Void

  private struct State {
    var freeCount: Int
    var waiting = Deque<Work>()
    /// Whether a thread is starting the waiting work.
    var isBeginning = false
  }

  private let state: Mutex<State>

  init(count: Int) {
    state = Mutex(State(freeCount: count))
  }

  /// Starts work in its turn, at once or when other work has ended.
  ///
  /// - Parameter work: Calls ``release()`` when it has ended.
  func acquire(_ work: @escaping Work) {
    let isFree = state.withLock { state in
      guard state.freeCount > 0, state.waiting.isEmpty else {
        state.waiting.append(work)
        return false
      }
      state.freeCount -= 1
      return true
    }
    if isFree { work() }
  }

  /// Returns a permit, and starts work that waits for it.
  func release() {
    let begins = state.withLock { state in
      state.freeCount += 1
      defer { state.isBeginning = true }
      return !state.isBeginning
    }
    // Work that fails at once returns its permit before the call returns: hence a loop, not a recursion.
    while begins, let work = next() { work() }
  }

  private func next() -> Work? {
    state.withLock { state in
      let next = state.freeCount > 0 ? state.waiting.popFirst() : nil
      state.isBeginning = next != nil
      if next != nil { state.freeCount -= 1 }
      return next
    }
  }
}
