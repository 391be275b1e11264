internal import ParleyProtocol
internal import ClientTransport

/// The events of groups that the client does not know, held until it has read the group.
final class GroupArrivals: Sendable {
  /// An event of a group.
  struct Event: Sendable {
    let event: GroupChannelEvent
    let change: SnapshotChange?
    let seq: Int64?
    /// `nil` for an event of the client itself.
    let notification: WireEvent.Notification?

    init(
      _ event: GroupChannelEvent, _ change: SnapshotChange?, _ params: JSONNode?,
      _ notification: WireEvent.Notification?
    ) {
      self.event = event
      self.change = change
      seq = params?["seq"]?.integer
      self.notification = notification
    }

    var isUpdate: Bool { if case .messageUpdated = event { true } else { false } }
  }

  private let limit: Int
  private let held = Locked<[String: EventBacklog<Event>]>([:])

  /// - Parameter limit: The maximum number of events of a group; the newest displaces the oldest.
  init(limit: Int) {
    self.limit = limit
  }

  /// Holds an event.
  ///
  /// - Returns: Whether it is the first of its group, which must be read.
  func hold(_ event: Event, ofGroup url: String) -> Bool {
    held.withLock { held in
      let isFirst = held[url] == nil
      held[url, default: EventBacklog(limit: limit)].append(event)
      return isFirst
    }
  }

  /// Removes the events of a group, oldest first.
  func take(_ url: String) -> [Event] {
    var backlog = held.withLock { $0.removeValue(forKey: url) }
    var events: [Event] = []
    while let event = backlog?.next(noticing: { Event(.dropped(count: $0), nil, nil, nil) }) {
      events.append(event)
    }
    return events
  }
}
