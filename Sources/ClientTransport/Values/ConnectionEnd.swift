/// The end of a connection, or the failure to open it.
package enum ConnectionEnd: Sendable, Hashable {
  /// The server sent a close frame.
  ///
  /// - `code`: `nil` for a frame without one (RFC 6455 §7.4).
  case closedByPeer(code: UInt16?, reason: String)
  case failed(ConnectionFailure)
}

/// The reason why there is no connection; the text names the failed step.
package struct ConnectionFailure: Error, Sendable, Hashable {
  /// The kind of failure, which determines the next step.
  package enum Kind: Sendable, Hashable {
    /// A retry may succeed: name resolution, network, a proxy or server that is down.
    case temporary
    /// A retry would fail again: a certificate, a wrong address, no WebSocket at the address.
    case lasting
    /// The opening handshake was rejected with 401 or 403.
    case unauthorized
    /// The server is full or draining, and may have sent the milliseconds to wait.
    case unavailable(retryAfter: Int64?)
    /// An open connection broke.
    case lost
    /// The server violated the protocol.
    case protocolViolation
    /// The server sent a larger message than this client accepts.
    case messageTooLarge
  }

  package let kind: Kind
  package let reason: String

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}
