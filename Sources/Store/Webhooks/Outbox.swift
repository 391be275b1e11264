package import ParleyProtocol

/// The writer's side of the outbox: events are put there in the transaction that makes them.
///
/// Confined to the writer thread.
final class Outbox {
  private let options: OutboxOptions
  /// The events of the present transaction.
  private var arrivals: [OutboxArrival] = []

  init(_ options: OutboxOptions) {
    self.options = options
  }

  func wants(_ event: EventName) -> Bool { options.events.contains(event) }

  func participantCount(of channelURL: String) -> Int { options.participantCount(channelURL) }

  func add(_ arrival: OutboxArrival) { arrivals.append(arrival) }

  /// The place in the transaction, for `rollBack(to:)`.
  var mark: Int { arrivals.count }

  /// Forgets the events of a job that is undone.
  func rollBack(to mark: Int) { arrivals.removeSubrange(mark...) }

  /// Reports the events of a transaction, once it is durable.
  func announce() {
    guard !arrivals.isEmpty else { return }
    options.didQueue(arrivals)
    arrivals = []
  }
}

/// The events that a store keeps for webhooks, and the receiver of its reports.
package struct OutboxOptions: Sendable {
  /// The events that are kept; others leave no trace.
  package var events: Set<EventName>
  /// The number of users in a channel, which the store does not know.
  package var participantCount: @Sendable (_ channelURL: String) -> Int
  /// Called on the writer thread after the commit that kept them.
  package var didQueue: @Sendable ([OutboxArrival]) -> Void

  package init(
    events: Set<EventName>, participantCount: @escaping @Sendable (String) -> Int,
    didQueue: @escaping @Sendable ([OutboxArrival]) -> Void
  ) {
    self.events = events
    self.participantCount = participantCount
    self.didQueue = didQueue
  }
}

/// An event that was put into the outbox.
package struct OutboxArrival: Sendable, Hashable {
  package var channelURL: String
  /// The event's number, larger than any before.
  package var eventID: Int64
  /// Unix milliseconds.
  package var timestamp: Int64
}

/// A URL that events are posted to.
package struct OutboxReceiver: Sendable, Hashable {
  /// The store's own number of the URL.
  package var id: Int64
  package var url: String
}

/// The events of a channel that wait for a URL.
package struct OutboxBacklog: Sendable, Hashable {
  package var receiverID: Int64
  package var channelURL: String
  /// The last event that the URL has taken.
  package var cursor: Int64
  /// The channel's last event.
  package var lastEventID: Int64
}

/// An event that waits.
package struct OutboxEvent: Sendable, Hashable {
  package var id: Int64
  /// Unix milliseconds.
  package var timestamp: Int64
  /// The event's JSON.
  package var body: [UInt8]
}

/// A stretch of a channel's events: those after one, up to and with another.
package struct OutboxStretch: Sendable, Hashable {
  package var channelURL: String
  package var after: Int64
  package var through: Int64

  package init(channelURL: String, after: Int64, through: Int64) {
    self.channelURL = channelURL
    self.after = after
    self.through = through
  }
}

/// The progress of a URL in a channel.
package struct OutboxAdvance: Sendable, Hashable {
  package var receiverID: Int64
  package var channelURL: String
  package var eventID: Int64

  package init(receiverID: Int64, channelURL: String, eventID: Int64) {
    self.receiverID = receiverID
    self.channelURL = channelURL
    self.eventID = eventID
  }
}

/// A removal of events from the outbox.
package struct OutboxRemoval: Sendable, Hashable {
  /// How many events were removed.
  package var count: Int
  /// The time of the oldest event that is left; `nil` when none is.
  package var oldest: Int64?
  /// The lanes of the share that another server has claimed, of which nothing was changed.
  package var lost: [OutboxHold] = []
}

/// The outbox when a server starts.
package struct OutboxContents: Sendable {
  /// In the order of the settings.
  package var receivers: [OutboxReceiver]
  package var backlog: [OutboxBacklog]
  package var eventCount: Int
  package var oldest: Int64?
}
