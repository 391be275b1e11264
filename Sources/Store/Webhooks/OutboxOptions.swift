package import ParleyProtocol

/// The events that a store keeps for webhooks, and the receiver of reports of new ones.
package struct OutboxOptions: Sendable {
  /// Those that are kept; others leave no trace.
  package var events: Set<WebhookEvent>
  /// How many are in a channel at the moment, which the store does not know.
  package var participantCount: @Sendable (_ channelURL: String) -> Int
  /// Called on the writer thread after the commit that kept them.
  package var didQueue: @Sendable ([OutboxArrival]) -> Void

  package init(
    events: Set<WebhookEvent>, participantCount: @escaping @Sendable (String) -> Int,
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

  package init(channelURL: String, eventID: Int64, timestamp: Int64) {
    self.channelURL = channelURL
    self.eventID = eventID
    self.timestamp = timestamp
  }
}
