/// An input to a ``Membership``.
package enum MembershipInput: Sendable {
  case timePassed
  /// The server can serve channels.
  case mayServe
  /// The server should drain.
  case drain
  /// The registry has accepted the requested beat; with the rows read after it.
  case registryAnswered(RegistryView)
  /// The registry has not accepted the beat.
  case registryFailed
  /// The connection to the registry was lost and reopened, as for all other servers after a restart.
  case registryReconnected
  /// The database accepts writes, or does not.
  case store(canWrite: Bool)
  /// A server was declared dead here, or this one has left.
  case registryChanged
  /// A beat for all servers arrived over the bus.
  case beat(Beat, from: ServerID)
  /// A beat of this server arrived over the bus in its own inbox.
  case echo(UInt64)
  /// An unknown server has sent a frame.
  case stranger
  /// The bus carries messages, for the first time or again.
  case busOpened
}

/// The consequences of an input to a ``Membership``, in order.
package enum MembershipAction: Sendable, Equatable {
  /// Write this server's row and read all; answered by `registryAnswered` or `registryFailed`.
  case beatRegistry(ServerState, isOnBus: Bool)
  /// Declare a server dead if the registry finds the evidence; then `registryChanged`.
  case declareDead(ServerID, DeathEvidence)
  /// Send a beat to all servers, and to this server's own inbox.
  case broadcast(Beat)
  case ring(ServerRing)
  /// These servers, and no others, are silent on the bus.
  case silence(Set<ServerID>)
  case leave(LeaveReason)
}

/// The reason why clients should use another server.
package enum Unreadiness: Sendable, Equatable {
  /// The server is not a home yet, or no longer.
  case noHome
  case isolated(LeaveReason)
  /// The server has heard neither the bus nor the registry for a while.
  case alone
  /// The server's database does not accept writes, and that of others does.
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
