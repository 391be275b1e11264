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

  /// The failure of a WebSocket's opening handshake that does not show that the server is away.
  ///
  /// It is also what clients see where WebSockets are blocked.
  package enum Handshake: Sendable, Hashable {
    /// The answer opens no WebSocket, or the connection ended before an answer.
    case refused
    /// There was no answer in time.
    case unanswered
  }

  package let kind: Kind
  package let reason: String
  /// `nil` for other failures, including those to reach the server.
  package let handshake: Handshake?

  package init(_ kind: Kind, _ reason: String, handshake: Handshake? = nil) {
    self.kind = kind
    self.reason = reason
    self.handshake = handshake
  }

  /// The refusal to open a connection with an HTTP status.
  ///
  /// 408, 429, 502, 503 and 504 come from servers that are busy, and from proxies whose server is away.
  ///
  /// - Parameter retryAfter: The milliseconds that the server asks to wait.
  package init(refusedWith status: Int, retryAfter: Int64?, _ reason: String) {
    let isAway = [408, 429, 502, 503, 504].contains(status)
    let kind: Kind =
      switch status {
      case 401, 403: .unauthorized
      case 429, 503: .unavailable(retryAfter: retryAfter)
      case 408, 500...599: .temporary
      default: .lasting
      }
    self.init(kind, reason, handshake: isAway ? nil : .refused)
  }
}
