import Store

/// A batch of events on its way to a URL.
struct Delivery {
  /// The reason for the delivery.
  enum Purpose {
    case events(Turn, [OutboxEvent])
    case test(WebhookTest)
  }

  let receiver: Int
  let purpose: Purpose
  /// The same each time that it is tried.
  let id: String
  let body: [UInt8]
}

/// The id and time of a batch when it was last tried, and the events that it held.
struct DeliveryName {
  let id: String
  let createdAt: Int64
  let firstEventID: Int64
  let lastEventID: Int64
  let count: Int

  func isName(of events: [OutboxEvent]) -> Bool {
    events.first?.id == firstEventID && events.last?.id == lastEventID && events.count == count
  }
}
