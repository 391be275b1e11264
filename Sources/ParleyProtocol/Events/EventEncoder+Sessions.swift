/// Events about the session and the server, which belong to no channel.
extension EventEncoder {
  /// The session's token is about to expire.
  ///
  /// - Parameters:
  ///   - timestamp: Unix milliseconds of the event.
  ///   - expiresAt: Unix milliseconds at which the session ends unless it is refreshed.
  package static func sessionExpiring(at timestamp: Int64, expiresAt: Int64) -> [UInt8] {
    notification(.sessionExpiring) {
      $0.member("ts", timestamp)
      $0.member("expires_at", expiresAt)
    }
  }

  /// The server is about to close the connection.
  ///
  /// - Parameters:
  ///   - timestamp: Unix milliseconds of the event.
  ///   - reconnectAfter: Milliseconds that the client should wait, another number for each.
  package static func serverDraining(at timestamp: Int64, reconnectAfter: Int64) -> [UInt8] {
    notification(.serverDraining) {
      $0.member("ts", timestamp)
      $0.member("reconnect_after_ms", reconnectAfter)
    }
  }
}
