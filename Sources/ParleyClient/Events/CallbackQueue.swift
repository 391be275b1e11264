internal import Dispatch
internal import Synchronization

/// Runs a client's closures and tells its delegates, one after the other, on no particular thread.
///
/// Events that wait are bounded; completions are as many as there are calls.
final class CallbackQueue: Sendable {
  private struct State {
    var backlog: EventBacklog<ParleyEvent>
    var isScheduled = false
  }

  private let queue = DispatchQueue(label: "parley-client.callbacks")
  private let delegates: DelegateRegistry
  private let state: Mutex<State>

  init(_ delegates: DelegateRegistry, limit: Int) {
    self.delegates = delegates
    state = Mutex(State(backlog: EventBacklog(limit: limit)))
  }

  /// Runs a closure behind all that waits.
  func run(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: body)
  }

  /// Tells delegates of an event.
  func push(_ event: ParleyEvent) {
    guard !delegates.isEmpty else { return }
    let mustSchedule = state.withLock { state in
      state.backlog.append(event)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { queue.async { [self] in drain() } }
  }

  private func drain() {
    while let event = next() { delegates.tell(event) }
  }

  private func next() -> ParleyEvent? {
    state.withLock { state in
      let event = state.backlog.next { .dropped(count: $0) }
      if event == nil { state.isScheduled = false }
      return event
    }
  }
}
