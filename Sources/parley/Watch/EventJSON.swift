internal import ParleyClient
internal import ParleyProtocol

/// Events as JSON, one object a line.
enum EventJSON {
  /// The line for an event: the server's notification as it came, or, for what this client notes
  /// itself, an object with `event` in place of `method`.
  static func line(_ event: WireEvent) -> String {
    guard let notification = event.notification else { return line(event.event) }
    let bytes = JSONWriter.bytes(reserving: notification.params.count + 64) {
      $0.object {
        $0.member("jsonrpc", "2.0")
        $0.member("method", notification.method)
        guard !notification.params.isEmpty else { return }
        $0.name("params")
        $0.value(raw: notification.params)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func line(_ event: ParleyEvent) -> String {
    switch event {
    case .connection(let event): line("connection") { $0.state(event) }
    case .dropped(let count): line("dropped") { $0.member("count", count) }
    case .channel(let channel, .recovered(let count)):
      line("recovered") {
        $0.member("channel_url", channel.url)
        $0.member("count", count)
      }
    case .channel(let channel, .eventsLost):
      line("events_lost") { $0.member("channel_url", channel.url) }
    case .channel(let channel, _):
      // Everything else about a channel comes by a notification.
      line("channel") { $0.member("channel_url", channel.url) }
    case .mentioned: line("mention") { _ in }
    }
  }

  private static func line(_ name: String, _ write: (inout JSONWriter) -> Void) -> String {
    let bytes = JSONWriter.bytes {
      $0.object {
        $0.member("event", name)
        write(&$0)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  fileprivate mutating func state(_ event: ConnectionEvent) {
    switch event {
    case .connected: member("state", "connected")
    case .reconnected: member("state", "reconnected")
    case .reconnecting(let attempt, _, let reason):
      member("state", "reconnecting")
      member("attempt", attempt)
      member("reason", "\(reason)")
    case .disconnected(let reason):
      member("state", "disconnected")
      member("reason", "\(reason)")
    case .sessionExpiring(let time):
      member("state", "expiring")
      member("expires_at", time)
    case .serverDraining: member("state", "draining")
    }
  }
}
