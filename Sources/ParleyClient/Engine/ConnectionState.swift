/// How a client stands with its server.
public enum ConnectionState: Sendable, Hashable {
  /// No connection, and none will be made until the next `connect`.
  case disconnected(because: DisconnectionReason)
  /// The first connection is being made.
  case connecting
  /// The session is open.
  case connected
  /// The connection was lost and is made anew after a pause; `attempt` counts from 1.
  case reconnecting(attempt: Int, after: Duration, because: DisconnectionReason)
}

/// Why there is no connection.
public enum DisconnectionReason: Sendable, Hashable {
  /// The client itself closed it, or never connected.
  case requested
  /// The access token is missing, wrong, expired or revoked, or the user is deactivated (4002).
  case unauthorized(String)
  /// The user opened more sessions elsewhere than it may have; this was its oldest (4003).
  case tooManySessions
  /// One side broke the protocol (1002, 1003, 1007, 1008, 1009).
  case protocolViolation(String)
  /// The server was stopped or restarted (1001).
  case serverDraining
  /// The server is full or failed (1011, 1013, HTTP 5xx).
  case serverUnavailable(String)
  /// This client did not read what was sent to it, or did not answer pings (4004, 4005).
  case tooSlow(String)
  /// No connection could be made, and why: name look-up, TCP, TLS, proxy, opening handshake.
  case unreachable(String)
  /// The connection broke off, and how.
  case lost(String)
}

extension DisconnectionReason: CustomStringConvertible {
  /// The reason as a clause.
  public var description: String {
    switch self {
    case .requested: "the client is not connected"
    case .unauthorized(let reason): "not authorized: \(reason)"
    case .tooManySessions: "the user opened too many sessions elsewhere"
    case .protocolViolation(let reason): "the protocol was broken: \(reason)"
    case .serverDraining: "the server is going away"
    case .serverUnavailable(let reason): "the server is not available: \(reason)"
    case .tooSlow(let reason): "the client was too slow: \(reason)"
    case .unreachable(let reason): "the server can't be reached: \(reason)"
    case .lost(let reason): "the connection was lost: \(reason)"
    }
  }
}
