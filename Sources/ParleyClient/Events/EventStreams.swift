internal import ClientTransport

/// The consumers of a client's events.
final class EventStreams: Sendable {
  private struct State {
    var all = Consumers<ParleyEvent>()
    var wire = Consumers<WireEvent>()
    var channels: [String: Consumers<OpenChannelEvent>] = [:]
    var groups: [String: Consumers<GroupChannelEvent>] = [:]
    var hasEnded = false
  }

  private let limit: Int
  private let state = Locked(State())

  init(limit: Int) {
    self.limit = limit
  }

  /// Adds a consumer of all events.
  func events() -> ParleyEvents<ParleyEvent> {
    add(noticing: { .dropped(count: $0) }) { $0.all.add($1) }
  }

  /// Adds a consumer of all events with the bytes that carried them.
  func wireEvents() -> ParleyEvents<WireEvent> {
    add(noticing: { WireEvent(event: .dropped(count: $0), notification: nil) }) { $0.wire.add($1) }
  }

  /// Adds a consumer of one open channel's events.
  func events(ofChannel url: String) -> ParleyEvents<OpenChannelEvent> {
    add(noticing: { .dropped(count: $0) }) { $0.channels[url, default: Consumers()].add($1) }
  }

  /// Adds a consumer of one group's events.
  func events(ofGroup url: String) -> ParleyEvents<GroupChannelEvent> {
    add(noticing: { .dropped(count: $0) }) { $0.groups[url, default: Consumers()].add($1) }
  }

  private func add<Element: Sendable>(
    noticing notice: @escaping @Sendable (_ droppedCount: Int) -> Element,
    to list: (inout State, EventSubscription<Element>) -> Void
  ) -> ParleyEvents<Element> {
    let subscription = EventSubscription(limit: limit, noticing: notice)
    let hasEnded = state.withLock { state in
      list(&state, subscription)
      return state.hasEnded
    }
    if hasEnded { subscription.end() }
    return ParleyEvents(subscription: subscription)
  }

  /// Delivers an event to all consumers that it concerns.
  ///
  /// - Parameter notification: The notification that carried it, if it came from the server.
  func push(_ event: ParleyEvent, _ notification: WireEvent.Notification? = nil) {
    let (all, wire) = state.withLock { state in (state.all.living, state.wire.living) }
    for subscription in all { subscription.push(event) }
    for subscription in wire {
      subscription.push(WireEvent(event: event, notification: notification))
    }
    switch event {
    case .channel(let channel, let event):
      let consumers = state.withLock { Consumers.living(&$0.channels, channel.url) }
      for subscription in consumers { subscription.push(event) }
    case .group(let channel, let event):
      let consumers = state.withLock { Consumers.living(&$0.groups, channel.url) }
      for subscription in consumers { subscription.push(event) }
    case .connection, .mentioned, .unreadTotalsChanged, .dropped: break
    }
  }

  /// Ends all consumers.
  func end() {
    let (all, wire, channels, groups) = state.withLock { state in
      state.hasEnded = true
      return (
        state.all.living, state.wire.living, state.channels.values.flatMap(\.living),
        state.groups.values.flatMap(\.living)
      )
    }
    for subscription in all { subscription.end() }
    for subscription in wire { subscription.end() }
    for subscription in channels { subscription.end() }
    for subscription in groups { subscription.end() }
  }
}

/// Consumers of one kind of events, held weakly.
private struct Consumers<Element: Sendable> {
  private var list: [Weak<EventSubscription<Element>>] = []

  var living: [EventSubscription<Element>] { list.compactMap(\.value) }

  mutating func add(_ subscription: EventSubscription<Element>) {
    list.removeAll { $0.value == nil }
    list.append(Weak(subscription))
  }

  /// Returns the consumers of one channel, and removes their entry if there are none.
  static func living(
    _ channels: inout [String: Consumers], _ url: String
  ) -> [EventSubscription<Element>] {
    let living = channels[url]?.living ?? []
    if living.isEmpty { channels[url] = nil }
    return living
  }
}

/// One consumer's backlog, and the tasks that wait for the next event.
final class EventSubscription<Element: Sendable>: Sendable {
  private struct State {
    var backlog: EventBacklog<Element>
    var waiting: [UInt64: CheckedContinuation<Element?, Never>] = [:]
    var waitCount: UInt64 = 0
    var hasEnded = false
  }

  private let state: Locked<State>
  private let notice: @Sendable (Int) -> Element

  init(limit: Int, noticing notice: @escaping @Sendable (_ droppedCount: Int) -> Element) {
    state = Locked(State(backlog: EventBacklog(limit: limit)))
    self.notice = notice
  }

  /// Delivers an event to a waiting task, or stores it.
  func push(_ element: Element) {
    let waiter: CheckedContinuation<Element?, Never>? = state.withLock { state in
      guard !state.hasEnded else { return nil }
      // Tasks are served in the order in which they started to wait.
      if let first = state.waiting.keys.min() { return state.waiting.removeValue(forKey: first) }
      state.backlog.append(element)
      return nil
    }
    waiter?.resume(returning: element)
  }

  /// Lets consumers read the stored events, and then ends.
  func end() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [:] }
      return state.waiting.values.map(\.self)
    }
    for waiter in waiting { waiter.resume(returning: nil) }
  }

  /// Waits for the next event; returns `nil` at the end, and when the task is cancelled.
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
    // The outer optional: whether to resume immediately.
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

/// A bounded queue of events for a consumer; the newest event displaces the oldest.
struct EventBacklog<Element> {
  private let limit: Int
  private var elements = Queue<Element>()
  private var droppedCount = 0

  init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// The number of stored events.
  var count: Int { elements.count }

  var isEmpty: Bool { elements.isEmpty && droppedCount == 0 }

  mutating func append(_ element: Element) {
    if elements.count == limit {
      _ = elements.popFirst()
      droppedCount += 1
    }
    elements.append(element)
  }

  /// Removes the oldest event; the notice of dropped events comes first, once.
  mutating func next(noticing notice: (_ droppedCount: Int) -> Element) -> Element? {
    guard droppedCount == 0 else {
      defer { droppedCount = 0 }
      return notice(droppedCount)
    }
    return elements.popFirst()
  }

  mutating func removeAll() {
    elements = Queue()
    droppedCount = 0
  }
}
