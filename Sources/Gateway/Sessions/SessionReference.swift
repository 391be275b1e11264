import Transport

/// Names a session anywhere in the process: its node and its connection there.
struct SessionReference: Hashable, Sendable {
  let node: Int
  let connection: ConnectionID
}
