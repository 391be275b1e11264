/// The forms of events that leave the server.
extension Event {
  /// The event as a JSON-RPC notification, ready to be framed and sent to many.
  package func notification(from origin: EventOrigin) -> [UInt8] {
    let payload = payload
    return JSONWriter.bytes(reserving: payload.capacity + 160) {
      $0.object {
        $0.name("jsonrpc")
        $0.value(unescaped: "2.0")
        $0.name("method")
        $0.value(unescaped: name.rawValue)
        $0.name("params")
        $0.object {
          origin.encode(into: &$0)
          payload.encode(into: &$0)
        }
      }
    }
  }

  /// The event as an element of `events` in the body of a webhook.
  package func webhookEvent(from origin: EventOrigin) -> [UInt8] {
    let payload = payload
    return JSONWriter.bytes(reserving: payload.capacity + 160) {
      $0.object {
        $0.name("event")
        $0.value(unescaped: name.rawValue)
        origin.encode(into: &$0)
        payload.encode(into: &$0)
      }
    }
  }
}
