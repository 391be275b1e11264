/// Receives the changes of a client's connection.
///
/// Called as an ``OpenChannelDelegate`` is, and held weakly too.
public protocol ConnectionDelegate: AnyObject, Sendable {
  /// The session is open for the first time since `connect`.
  func didConnect()
  /// The connection was lost and is made anew after a pause; `attempt` counts from 1.
  func didStartReconnecting(
    attempt: Int, after pause: Duration, because reason: DisconnectionReason)
  /// The session is open again.
  func didReconnect()
  /// There is no connection, and none will be made until the next `connect`.
  func didDisconnect(because reason: DisconnectionReason)
  /// The access token expires at that time, Unix milliseconds: refresh it.
  func sessionWillExpire(at time: Int64)
  /// Another key opens the files that need one.
  func didRenewFileKey(_ key: FileKey)
  /// The server is about to stop; the client comes back by itself.
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

  /// Calls the method that goes with an event.
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
  /// The connection was lost and is made anew after a pause; `attempt` counts from 1.
  case reconnecting(attempt: Int, after: Duration, because: DisconnectionReason)
  /// The session is open again; the channels are being entered again.
  case reconnected
  /// There is no connection, and none will be made until the next `connect`.
  case disconnected(because: DisconnectionReason)
  /// The access token expires at that time, Unix milliseconds: refresh it. Reported once for each token, and not
  /// before two thirds of its time have passed.
  case sessionExpiring(at: Int64)
  /// Another key opens the files that need one; the one before holds for a while.
  case fileKeyRenewed(FileKey)
  /// The server is about to stop; the client comes back after that time by itself.
  case serverDraining(reconnectAfter: Duration)
}

/// The state of a client's connection.
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

/// The reason why there is no connection.
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
