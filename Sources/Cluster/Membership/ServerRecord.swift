/// A server's state in the registry.
package enum ServerState: String, Sendable, CaseIterable {
  /// Has a number, and no channels.
  case joining
  case live
  /// Finishes what it has; no longer a home.
  case draining
  /// Gone, or declared so by another.
  case dead
}

/// A server's row in the registry.
package struct ServerRecord: Sendable, Equatable {
  package var member: ClusterMember
  /// The version of its program, for people.
  package var version: String
  package var state: ServerState
  /// Whether it receives its own beats on the bus.
  package var isOnBus: Bool
  /// Unix milliseconds of the registry's clock.
  package var startedAt: Int64
  /// Unix milliseconds of the registry's clock.
  package var beatAt: Int64

  package init(
    member: ClusterMember, version: String, state: ServerState, isOnBus: Bool, startedAt: Int64,
    beatAt: Int64
  ) {
    self.member = member
    self.version = version
    self.state = state
    self.isOnBus = isOnBus
    self.startedAt = startedAt
    self.beatAt = beatAt
  }
}

/// The registry's rows at one moment.
package struct RegistryView: Sendable, Equatable {
  /// Unix milliseconds of the registry's clock.
  package var now: Int64
  /// The servers, without those that are dead.
  package var records: [ServerRecord]

  package init(now: Int64, records: [ServerRecord]) {
    self.now = now
    self.records = records
  }
}

/// The evidence on which a server is declared dead.
///
/// The registry checks it once more.
package enum DeathEvidence: Sendable, Equatable {
  /// Its process has ended: its lock in the registry is free.
  case lockIsFree
  /// Its last beat in the registry is older than this, in milliseconds.
  case noBeat(for: Int64)
}
