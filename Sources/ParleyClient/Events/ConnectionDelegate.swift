/// Receives the changes of a client's connection.
///
/// Called as an ``OpenChannelDelegate`` is, and also held weakly.
public protocol ConnectionDelegate: AnyObject, Sendable {
  /// The session is open for the first time since `connect`.
  func didConnect()
  /// The connection was lost; the client reconnects after a pause. `attempt` counts from 1.
  func didStartReconnecting(
    attempt: Int, after pause: Duration, because reason: DisconnectionReason)
  /// The session is open again.
  func didReconnect()
  /// There is no connection, and the client makes none until the next `connect`.
  func didDisconnect(because reason: DisconnectionReason)
  /// The access token expires at this time, in Unix milliseconds: refresh it.
  func sessionWillExpire(at time: Int64)
  /// A new key opens the files that need one.
  func didRenewFileKey(_ key: FileKey)
  /// The server stops soon; the client reconnects automatically.
  func serverWillStop(reconnectingAfter pause: Duration)
}

/// Default implementations that do nothing.
extension ConnectionDelegate {
  /// Does nothing.
  public func didConnect() {}
  /// Does nothing.
  public func didStartReconnecting(
    attempt: Int, after pause: Duration, because reason: DisconnectionReason
  ) {}
  /// Does nothing.
  public func didReconnect() {}
  /// Does nothing.
  public func didDisconnect(because reason: DisconnectionReason) {}
  /// Does nothing.
  public func sessionWillExpire(at time: Int64) {}
  /// Does nothing.
  public func didRenewFileKey(_ key: FileKey) {}
  /// Does nothing.
  public func serverWillStop(reconnectingAfter pause: Duration) {}

  /// Calls the method for an event.
  func tell(_ event: ConnectionEvent) {
    switch event {
    case .connected: didConnect()
    case .reconnecting(let attempt, let pause, let reason):
      didStartReconnecting(attempt: attempt, after: pause, because: reason)
    case .reconnected: didReconnect()
    case .disconnected(let reason): didDisconnect(because: reason)
    case .sessionExpiring(let time): sessionWillExpire(at: time)
    case .fileKeyRenewed(let key): didRenewFileKey(key)
    case .serverDraining(let pause): serverWillStop(reconnectingAfter: pause)
    }
  }
}

/// An event of a client's connection.
public enum ConnectionEvent: Sendable, Hashable {
  /// The session is open for the first time since `connect`.
  case connected
  /// The connection was lost; the client reconnects after a pause. `attempt` counts from 1.
  case reconnecting(attempt: Int, after: Duration, because: DisconnectionReason)
  /// The session is open again; the client is re-entering its channels.
  case reconnected
  /// There is no connection, and the client makes none until the next `connect`.
  case disconnected(because: DisconnectionReason)
  /// The access token expires at this time, in Unix milliseconds: refresh it. Reported once for
  /// each token, and not before two thirds of its time have passed.
  case sessionExpiring(at: Int64)
  /// A new key opens the files that need one; the previous key remains valid for a while.
  case fileKeyRenewed(FileKey)
  /// The server stops soon; the client reconnects automatically after that time.
  case serverDraining(reconnectAfter: Duration)
}

/// The state of a client's connection.
public enum ConnectionState: Sendable, Hashable {
  /// No connection; the client makes none until the next `connect`.
  case disconnected(because: DisconnectionReason)
  /// The first connection is being opened.
  case connecting
  /// The session is open.
  case connected
  /// The connection was lost; the client reconnects after a pause. `attempt` counts from 1.
  case reconnecting(attempt: Int, after: Duration, because: DisconnectionReason)
}

/// The reason why there is no connection.
public enum DisconnectionReason: Sendable, Hashable {
  /// The client closed the connection, or never connected.
  case requested
  /// The access token is missing, wrong, expired or revoked, or the user is deactivated (4002).
  case unauthorized(String)
  /// The user opened more sessions than allowed; this was the oldest (4003).
  case tooManySessions
  /// One side broke the protocol (1002, 1003, 1007, 1008, 1009).
  case protocolViolation(String)
  /// The server was stopped or restarted (1001).
  case serverDraining
  /// The server is full or failed (1011, 1013, HTTP 5xx).
  case serverUnavailable(String)
  /// This client did not read its messages, or did not answer pings (4004, 4005).
  case tooSlow(String)
  /// The connection failed at name resolution, TCP, TLS, the proxy or the opening handshake.
  case unreachable(String)
  /// The connection broke, with the details.
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
