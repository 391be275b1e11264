/// Is told what happens to a client's connection.
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
    case .serverDraining(let pause): serverWillStop(reconnectingAfter: pause)
    }
  }
}
