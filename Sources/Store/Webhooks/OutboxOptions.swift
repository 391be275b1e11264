package import ParleyProtocol

/// The events that a store keeps for webhooks, and the callback for its reports.
package struct OutboxOptions: ArrivalOptions {
  /// The events to store; others are not stored.
  package var events: Set<EventName>
  /// The number of users in a channel, which the store does not know.
  package var participantCount: @Sendable (_ channelURL: String) -> Int
  /// Called on the writer thread after the commit that stored the events.
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

extension Outbox where Options == OutboxOptions {
  func wants(_ event: EventName) -> Bool { options.events.contains(event) }

  func participantCount(of channelURL: String) -> Int { options.participantCount(channelURL) }
}

/// An event added to the outbox.
package struct OutboxArrival: Sendable, Hashable {
  package var channelURL: String
  /// The event's number, larger than all earlier ones.
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

/// The events of a channel waiting for a URL.
package struct OutboxBacklog: Sendable, Hashable {
  package var receiverID: Int64
  package var channelURL: String
  /// The last event that the URL has received.
  package var cursor: Int64
  /// The channel's last event.
  package var lastEventID: Int64
}

/// A waiting event.
package struct OutboxEvent: Sendable, Hashable {
  package var id: Int64
  /// Unix milliseconds.
  package var timestamp: Int64
  /// The event's JSON.
  package var body: [UInt8]
  /// The trace of the call that caused the event.
  package var trace: CallTrace?
}

/// A range of a channel's events: those after one, up to and including another.
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
  /// The number of removed events.
  package var count: Int
  /// The time of the oldest remaining event; `nil` when none remains.
  package var oldest: Int64?
  /// The lanes of the share that another server has claimed; they were not changed.
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
