internal import Synchronization

/// The consumers of a client's events.
final class EventStreams: Sendable {
  private struct State {
    var all: [Weak<EventSubscription<ParleyEvent>>] = []
    var wire: [Weak<EventSubscription<WireEvent>>] = []
    var channels: [String: [Weak<EventSubscription<OpenChannelEvent>>]] = [:]
    var hasEnded = false
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) {
    self.limit = limit
  }

  /// A new consumer of everything.
  func events() -> ParleyEvents<ParleyEvent> {
    let subscription = EventSubscription<ParleyEvent>(limit: limit) { .dropped(count: $0) }
    let hasEnded = state.withLock { state in
      state.all.removeAll { $0.value == nil }
      state.all.append(Weak(subscription))
      return state.hasEnded
    }
    if hasEnded { subscription.end() }
    return ParleyEvents(subscription: subscription)
  }

  /// A new consumer of everything with the bytes that brought it.
  func wireEvents() -> ParleyEvents<WireEvent> {
    let subscription = EventSubscription<WireEvent>(limit: limit) {
      WireEvent(event: .dropped(count: $0), notification: nil)
    }
    let hasEnded = state.withLock { state in
      state.wire.removeAll { $0.value == nil }
      state.wire.append(Weak(subscription))
      return state.hasEnded
    }
    if hasEnded { subscription.end() }
    return ParleyEvents(subscription: subscription)
  }

  /// A new consumer of one channel's events.
  func events(ofChannel url: String) -> ParleyEvents<OpenChannelEvent> {
    let subscription = EventSubscription<OpenChannelEvent>(limit: limit) { .dropped(count: $0) }
    let hasEnded = state.withLock { state in
      state.channels[url, default: []].removeAll { $0.value == nil }
      state.channels[url, default: []].append(Weak(subscription))
      return state.hasEnded
    }
    if hasEnded { subscription.end() }
    return ParleyEvents(subscription: subscription)
  }

  /// Hands an event to everyone whom it concerns.
  ///
  /// - Parameter notification: What brought it, if the server did.
  func push(_ event: ParleyEvent, _ notification: WireEvent.Notification? = nil) {
    let (all, wire) = state.withLock { state in
      (state.all.compactMap(\.value), state.wire.compactMap(\.value))
    }
    for subscription in all { subscription.push(event) }
    for subscription in wire {
      subscription.push(WireEvent(event: event, notification: notification))
    }
    guard case .channel(let channel, let event) = event else { return }
    let subscriptions = state.withLock { state in
      let living = state.channels[channel.url]?.compactMap(\.value) ?? []
      if living.isEmpty { state.channels[channel.url] = nil }
      return living
    }
    for subscription in subscriptions { subscription.push(event) }
  }

  /// Ends all consumers.
  func end() {
    let (all, wire, channels) = state.withLock { state in
      state.hasEnded = true
      return (
        state.all.compactMap(\.value), state.wire.compactMap(\.value),
        state.channels.values.flatMap { $0.compactMap(\.value) }
      )
    }
    for subscription in all { subscription.end() }
    for subscription in wire { subscription.end() }
    for subscription in channels { subscription.end() }
  }
}
