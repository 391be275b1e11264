internal import Synchronization

/// Brings together a call that begins and a task that may be cancelled at the same time.
final class CallTicket: Sendable {
  enum State: Sendable, Equatable {
    case waiting
    case begun(EngineCallID)
    case cancelled
  }

  private let state = Mutex(State.waiting)

  /// The call has begun.
  ///
  /// - Returns: The state before: when that was `cancelled`, the caller gives the call up.
  func begin(_ id: EngineCallID) -> State {
    state.withLock { state in
      let before = state
      if before == .waiting { state = .begun(id) }
      return before
    }
  }

  /// The task was cancelled.
  ///
  /// - Returns: The call to give up, if it has begun.
  func cancel() -> EngineCallID? {
    state.withLock { state in
      defer { state = .cancelled }
      if case .begun(let id) = state { return id }
      return nil
    }
  }
}
