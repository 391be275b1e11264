/// A URL that events are posted to.
package struct OutboxReceiver: Sendable, Hashable {
  /// The store's own number of it.
  package var id: Int64
  package var url: String
}

/// The events of a channel that wait for a URL.
package struct OutboxBacklog: Sendable, Hashable {
  package var receiverID: Int64
  package var channelURL: String
  /// The URL has got all up to this event.
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

  package init(id: Int64, timestamp: Int64, body: [UInt8]) {
    self.id = id
    self.timestamp = timestamp
    self.body = body
  }
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

/// How far a URL has got in a channel.
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

/// The state of the outbox after events have been removed.
package struct OutboxRemoval: Sendable, Hashable {
  /// How many events were removed.
  package var count: Int
  /// The time of the oldest event that is left; `nil` when none is.
  package var oldest: Int64?
}

/// The outbox when a server starts.
package struct OutboxContents: Sendable {
  /// In the order of the settings.
  package var receivers: [OutboxReceiver]
  package var backlog: [OutboxBacklog]
  package var eventCount: Int
  package var oldest: Int64?
}
