import ParleyProtocol
import Store

/// A batch of events being delivered to a URL.
struct Delivery {
  /// The reason for the delivery.
  enum Purpose {
    case events(Turn, [OutboxEvent])
    case test(WebhookTest)
  }

  let receiver: Int
  let purpose: Purpose
  /// The same for each attempt.
  let id: String
  let body: [UInt8]

  /// The trace that all events of the batch belong to; `nil` when they have several, or one has none.
  var trace: CallTrace? {
    guard case .events(_, let events) = purpose, let trace = events.first?.trace,
      events.allSatisfy({ $0.trace == trace })
    else { return nil }
    return trace
  }
}

extension OutboxEvent {
  /// The event's JSON in a request.
  var json: [UInt8] { trace.map { WebhookEncoder.event(body, causedBy: $0) } ?? body }
}

/// The id and time of a batch at its last attempt, and the events in it.
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
