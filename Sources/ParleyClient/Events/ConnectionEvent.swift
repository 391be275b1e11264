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
  /// The access token expires at that time, Unix milliseconds: refresh it.
  case sessionExpiring(at: Int64)
  /// The server is about to stop; the client comes back after that time by itself.
  case serverDraining(reconnectAfter: Duration)
}
