import DequeModule
import Synchronization

/// Permits for requests that have much in memory: no more than a number of them at the same time.
final class RequestPermits: Sendable {
  typealias Work = @Sendable () -> Void

  private struct State {
    var freeCount: Int
    var waiting = Deque<Work>()
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
      guard state.freeCount > 0 else {
        state.waiting.append(work)
        return false
      }
      state.freeCount -= 1
      return true
    }
    if isFree { work() }
  }

  func release() {
    let next = state.withLock { state -> Work? in
      if let next = state.waiting.popFirst() { return next }
      state.freeCount += 1
      return nil
    }
    next?()
  }
}
