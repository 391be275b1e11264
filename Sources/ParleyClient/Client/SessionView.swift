/// How a client's session looks from outside, and what of its changes is worth telling.
struct SessionView: Sendable {
  var user: User?
  var state = ConnectionState.disconnected(because: .requested)
  /// Whether the session was open since the last `connect`, and this was reported.
  private var hasToldConnection = false

  /// Takes over a state; `nil` when there is nothing to tell.
  mutating func change(to state: ConnectionState) -> ConnectionEvent? {
    self.state = state
    switch state {
    case .connecting:
      hasToldConnection = false
      return nil
    case .connected:
      defer { hasToldConnection = true }
      return hasToldConnection ? .reconnected : .connected
    case .reconnecting(let attempt, let pause, let reason):
      return .reconnecting(attempt: attempt, after: pause, because: reason)
    case .disconnected(let reason):
      return .disconnected(because: reason)
    }
  }
}
