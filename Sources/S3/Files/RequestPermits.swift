import DequeModule
import Synchronization

/// Permits for requests that have much in memory: no more than a number of them at the same time.
final class RequestPermits: Sendable {
  typealias Work = @Sendable () -> Void

  private struct State {
    var freeCount: Int
    var waiting = Deque<Work>()
    /// Whether a thread begins what waits.
    var isBeginning = false
  }

  private let state: Mutex<State>

  init(count: Int) {
    state = Mutex(State(freeCount: count))
  }

  /// Begins work in its turn, at once or when others have ended.
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

  /// Gives a permit back, and begins work that waits for it.
  func release() {
    let begins = state.withLock { state in
      state.freeCount += 1
      defer { state.isBeginning = true }
      return !state.isBeginning
    }
    // Work that fails at once gives its permit back before it returns: a loop, not a recursion.
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
