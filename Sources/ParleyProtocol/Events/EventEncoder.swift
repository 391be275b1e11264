/// Writes events as JSON-RPC notifications, ready to be framed and sent to many.
///
///     {"jsonrpc":"2.0","method":"message.received","params":{"channel_url":…,"seq":…,"ts":…,…}}
///
/// Messages and channels come as the JSON that the answer to their author holds already, so that
/// each is encoded once.
package enum EventEncoder {
  /// Writes a notification whose `params` begin with the origin, and with `seq` if it is durable.
  static func channelEvent(
    _ name: EventName, _ origin: EventOrigin, seq: Int64?, reserving capacity: Int = 0,
    _ write: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    notification(name, reserving: capacity + 160) {
      $0.member("channel_url", origin.channelURL)
      if let seq { $0.member("seq", seq) }
      $0.member("ts", origin.timestamp)
      write(&$0)
    }
  }

  /// Writes a notification with the members of `params` that `write` adds.
  static func notification(
    _ name: EventName, reserving capacity: Int = 160, _ write: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    JSONWriter.bytes(reserving: capacity) {
      $0.object {
        $0.member("jsonrpc", "2.0")
        $0.member("method", name.rawValue)
        $0.member("params", object: write)
      }
    }
  }
}
