internal import Dispatch
internal import ClientTransport

/// Runs a client's closures and delegate methods one at a time, in the order in which they were
/// added, on no particular thread.
///
/// Waiting events are bounded; there is one closure for each call.
final class CallbackQueue: Sendable {
  /// A closure, and the number of events added before it.
  private struct Closure {
    let eventCount: UInt64
    let body: @Sendable () -> Void
  }

  private enum Item {
    case closure(@Sendable () -> Void)
    case event(ParleyEvent)
  }

  private struct State {
    var backlog: EventBacklog<ParleyEvent>
    var closures = Queue<Closure>()
    /// The number of events so far.
    var eventCount: UInt64 = 0
    var isScheduled = false

    /// Returns whether the queue must be scheduled.
    mutating func schedule() -> Bool {
      defer { isScheduled = true }
      return !isScheduled
    }

    mutating func next() -> Item? {
      let taken = eventCount - UInt64(backlog.count)
      if let closure = closures.first, closure.eventCount <= taken {
        _ = closures.popFirst()
        return .closure(closure.body)
      }
      return backlog.next { .dropped(count: $0) }.map { .event($0) }
    }
  }

  private let queue = DispatchQueue(label: "parley-client.callbacks")
  private let delegates: DelegateRegistry
  private let state: Locked<State>

  init(_ delegates: DelegateRegistry, limit: Int) {
    self.delegates = delegates
    state = Locked(State(backlog: EventBacklog(limit: limit)))
  }

  /// Runs a closure after everything queued so far, and before everything added later.
  func run(_ body: @escaping @Sendable () -> Void) {
    let mustSchedule = state.withLock { state in
      state.closures.append(Closure(eventCount: state.eventCount, body: body))
      return state.schedule()
    }
    if mustSchedule { scheduleDraining() }
  }

  /// Delivers an event to delegates.
  func push(_ event: ParleyEvent) {
    guard !delegates.isEmpty else { return }
    let mustSchedule = state.withLock { state in
      state.eventCount += 1
      state.backlog.append(event)
      return state.schedule()
    }
    if mustSchedule { scheduleDraining() }
  }

  private func scheduleDraining() {
    queue.async { [self] in drain() }
  }

  private func drain() {
    while let item = next() {
      switch item {
      case .closure(let body): body()
      case .event(let event): delegates.tell(event)
      }
    }
  }

  private func next() -> Item? {
    state.withLock { state in
      let item = state.next()
      if item == nil { state.isScheduled = false }
      return item
    }
  }
}
