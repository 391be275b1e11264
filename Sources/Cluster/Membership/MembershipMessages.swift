/// An input to a ``Membership``.
package enum MembershipInput: Sendable {
  case timePassed
  /// The server can take channels.
  case mayServe
  /// The server is to end.
  case drain
  /// The registry has taken the beat that was asked for; its rows after it.
  case registryAnswered(RegistryView)
  /// The registry has not taken the beat.
  case registryFailed
  /// The connection to the registry was lost and made again, as that of all others after a restart.
  case registryReconnected
  /// The database takes writes, or does not.
  case store(canWrite: Bool)
  /// A server was declared dead here, or this one has left.
  case registryChanged
  /// A beat came over the bus, for all servers.
  case beat(Beat, from: ServerID)
  /// A beat of this server came over the bus to its own inbox.
  case echo(UInt64)
  /// A server that is not known has sent something.
  case stranger
  /// The bus carries messages, for the first time or again.
  case busOpened
}

/// The consequences of an input to a ``Membership``, in their order.
package enum MembershipAction: Sendable, Equatable {
  /// Write the own row and read all; answered by `registryAnswered` or `registryFailed`.
  case beatRegistry(ServerState, isOnBus: Bool)
  /// Declare a server dead if the registry finds the evidence; then `registryChanged`.
  case declareDead(ServerID, DeathEvidence)
  /// Send a beat to all servers, and to the own inbox.
  case broadcast(Beat)
  case ring(ServerRing)
  /// These servers are not heard on the bus, and no others.
  case silence(Set<ServerID>)
  case leave(LeaveReason)
}

/// The reason why clients should go to another server.
package enum Unreadiness: Sendable, Equatable {
  /// It is not a home yet, or no longer.
  case noHome
  case isolated(LeaveReason)
  /// It has heard neither the bus nor the registry for a while.
  case alone
  /// Its database takes no writes, and that of others does.
  case cannotWrite
}

/// The reason for leaving the cluster.
package enum LeaveReason: Sendable, Equatable, CustomStringConvertible {
  case declaredDead
  case isolatedFromBus
  case isolatedFromRegistry

  package var description: String {
    switch self {
    case .declaredDead: "the cluster has declared this server dead"
    case .isolatedFromBus: "this server receives nothing from the bus, and others do"
    case .isolatedFromRegistry: "this server does not reach the registry, and others do"
    }
  }
}
