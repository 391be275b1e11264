package import WebSocket

/// The end of a connection, or the failure to make it.
package enum ConnectionEnd: Sendable, Hashable {
  /// The server sent a close frame.
  case closedByPeer(code: CloseCode?, reason: String)
  case failed(ConnectionFailure)
}

/// The reason why there is no connection, as text that names the step that failed.
package struct ConnectionFailure: Error, Sendable, Hashable {
  /// The kind of the failure, as far as it decides the next step.
  package enum Kind: Sendable, Hashable {
    /// Another attempt may succeed: name look-up, network, a proxy or server that is not up.
    case temporary
    /// Another attempt would fail likewise: a certificate, a wrong address, no WebSocket there.
    case lasting
    /// The opening handshake was refused with 401 or 403.
    case unauthorized
    /// The server is full or draining, and may have said for how many milliseconds.
    case unavailable(retryAfter: Int64?)
    /// An open connection broke off.
    case lost
    /// The server broke the protocol.
    case protocolViolation
    /// The server sent a larger message than this client takes.
    case messageTooLarge
  }

  package let kind: Kind
  package let reason: String

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}
