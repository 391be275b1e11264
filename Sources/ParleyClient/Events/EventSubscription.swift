internal import Synchronization

/// One consumer's backlog, and those who wait for what comes next.
final class EventSubscription<Element: Sendable>: Sendable {
  private struct State {
    var backlog: EventBacklog<Element>
    var waiting: [UInt64: CheckedContinuation<Element?, Never>] = [:]
    var waitCount: UInt64 = 0
    var hasEnded = false
  }

  private let state: Mutex<State>
  private let notice: @Sendable (Int) -> Element

  init(limit: Int, noticing notice: @escaping @Sendable (_ droppedCount: Int) -> Element) {
    state = Mutex(State(backlog: EventBacklog(limit: limit)))
    self.notice = notice
  }

  /// Hands an event on, or keeps it.
  func push(_ element: Element) {
    let waiter: CheckedContinuation<Element?, Never>? = state.withLock { state in
      guard !state.hasEnded else { return nil }
      // Those who wait are served in the order in which they began to.
      if let first = state.waiting.keys.min() { return state.waiting.removeValue(forKey: first) }
      state.backlog.append(element)
      return nil
    }
    waiter?.resume(returning: element)
  }

  /// Lets consumers take what is there, and then end.
  func end() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [:] }
      return state.waiting.values.map(\.self)
    }
    for waiter in waiting { waiter.resume(returning: nil) }
  }

  /// The next event; `nil` at the end, and when the task is cancelled.
  func next() async -> Element? {
    let ticket = state.withLock { state in
      state.waitCount += 1
      return state.waitCount
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait(ticket, $0) }
    } onCancel: {
      give(up: ticket)
    }
  }

  private func wait(_ ticket: UInt64, _ continuation: CheckedContinuation<Element?, Never>) {
    // The outer optional: whether to resume at once.
    let answer: Element?? = state.withLock { state in
      if let element = state.backlog.next(noticing: notice) { return .some(element) }
      guard !state.hasEnded, !Task.isCancelled else { return .some(nil) }
      state.waiting[ticket] = continuation
      return nil
    }
    if let answer { continuation.resume(returning: answer) }
  }

  private func give(up ticket: UInt64) {
    state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(returning: nil)
  }
}
