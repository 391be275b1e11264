/// The largest number of connections of an address; 0 for no limit.
package struct AddressLimits: Sendable, Hashable {
  /// Connections of any kind.
  package var connections: Int
  /// Connections that have neither opened a session nor sent a whole request.
  package var unopened: Int

  package init(connections: Int = 0, unopened: Int = 0) {
    self.connections = connections
    self.unopened = unopened
  }

  /// Whether there is anything to count for.
  package var isOff: Bool { connections == 0 && unopened == 0 }
}

/// The limit that a connection is over.
package enum ExceededAddressLimit: Sendable, Hashable {
  case connections(limit: Int)
  case unopened(limit: Int)
}
