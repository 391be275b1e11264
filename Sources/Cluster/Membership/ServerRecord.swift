/// A server's state in the registry.
package enum ServerState: String, Sendable, CaseIterable {
  /// Has a number, but no channels.
  case joining
  case live
  /// Finishes its work; no longer a home.
  case draining
  /// Ended, or declared dead by another server.
  case dead
}

/// A server's row in the registry.
package struct ServerRecord: Sendable, Equatable {
  package var member: ClusterMember
  /// The version of its program, for display.
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
  /// The servers that are not dead.
  package var records: [ServerRecord]
  /// Servers that ended within the last minutes.
  package var lost: [LostServer]

  package init(now: Int64, records: [ServerRecord], lost: [LostServer] = []) {
    self.now = now
    self.records = records
    self.lost = lost
  }
}

/// The way in which a server has ended.
package enum ServerEnding: String, Sendable, CaseIterable {
  /// The server left by itself: it had drained, or was cut off.
  case left
  /// The others found its lock in the registry free: its process had ended, or its connection.
  case expelled
  /// The server's beats in the registry had become too old: it hung, or was cut off.
  case silent
}

/// A server that has ended.
package struct LostServer: Sendable, Equatable {
  package var member: ClusterMember
  /// The version of its program, for display.
  package var version: String
  /// Unix milliseconds of the registry's clock, like all times here.
  package var startedAt: Int64
  package var beatAt: Int64
  package var endedAt: Int64
  package var ending: ServerEnding

  package init(
    member: ClusterMember, version: String, startedAt: Int64, beatAt: Int64, endedAt: Int64,
    ending: ServerEnding
  ) {
    self.member = member
    self.version = version
    self.startedAt = startedAt
    self.beatAt = beatAt
    self.endedAt = endedAt
    self.ending = ending
  }
}

/// The evidence on which a server is declared dead.
///
/// The registry verifies the evidence.
package enum DeathEvidence: Sendable, Equatable {
  /// Its process has ended: its lock in the registry is free.
  case lockIsFree
  /// Its last beat in the registry is older than this, in milliseconds.
  case noBeat(for: Int64)
}
