/// Writes what is posted to webhooks.
///
///     {"event":"message.received","channel_url":…,"seq":…,"ts":…,"message":{…}}
package enum WebhookEncoder {
  /// An event as the socket's notification tells it: the members of its `params` behind its name.
  ///
  /// - Parameters:
  ///   - kind: Which event it is.
  ///   - notification: What `EventEncoder` wrote of it.
  package static func event(_ kind: WebhookEvent, from notification: [UInt8]) -> [UInt8] {
    let envelope = "{\"jsonrpc\":\"2.0\",\"method\":\"\(kind.rawValue)\",\"params\":{"
    var event = Array("{\"event\":\"\(kind.rawValue)\",".utf8)
    event.append(contentsOf: notification.dropFirst(envelope.utf8.count).dropLast())
    return event
  }

  /// A channel was made; its count of events has not begun, so `seq` is 0.
  package static func channelCreated(_ channel: Channel) -> [UInt8] {
    Event.channelCreated(.value(ChannelInfo(channel, participantCount: 0))).webhookEvent(
      from: EventOrigin(channelURL: channel.url, seq: 0, timestamp: channel.createdAt))
  }

  /// An event that an operator asked for, to see whether it arrives.
  package static func test(at timestamp: Int64) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("event", "webhook.test")
        $0.member("ts", timestamp)
      }
    }
  }

  /// The body of a request.
  ///
  /// - Parameters:
  ///   - id: Names the delivery.
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
