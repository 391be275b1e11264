/// Encodes the bodies of webhook requests.
///
///     {"id":"…","created_at":…,"events":[{"event":"message.received","channel_url":…}]}
package enum WebhookEncoder {
  /// An event that an operator requests to test the delivery.
  package static func test(at timestamp: Int64) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("event", "webhook.test")
        $0.member("ts", timestamp)
      }
    }
  }

  /// An event with the names of the trace that caused it, as its last members.
  ///
  /// - Parameter event: The event's JSON, an object with members.
  package static func event(_ event: [UInt8], causedBy trace: CallTrace) -> [UInt8] {
    let names = JSONWriter.bytes {
      $0.object {
        if let id = trace.requestID { $0.member("request_id", id) }
        if let parent = trace.traceParent { $0.member("traceparent", parent) }
      }
    }
    return event.dropLast() + [UInt8(ascii: ",")] + names.dropFirst()
  }

  /// The body of a request.
  ///
  /// - Parameters:
  ///   - id: The id of the delivery.
  ///   - createdAt: Unix milliseconds.
  ///   - events: The events' JSON, in order.
  package static func body(id: String, createdAt: Int64, events: [[UInt8]]) -> [UInt8] {
    JSONWriter.bytes(reserving: events.reduce(96) { $0 + $1.count + 1 }) {
      $0.object {
        $0.member("id", id)
        $0.member("created_at", createdAt)
        $0.member("events", array: { for event in events { $0.value(raw: event) } })
      }
    }
  }
}
