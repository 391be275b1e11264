/// The clocks of a ``Membership``, in milliseconds.
package struct MembershipTiming: Sendable, Equatable {
  /// Between two beats (`cluster.beat_ms`).
  package var beat: Int64 = 500
  /// The age of a beat in the registry from which its server is dead (`cluster.server_timeout_ms`).
  package var serverTimeout: Int64 = 3_000
  /// How long a server stays that is isolated (`cluster.isolation_ms`).
  package var isolation: Int64 = 5_000

  package init() {}

  /// The time within which all servers find out that the database takes no writes, or reach the bus and
  /// the database again: an idle one looks each second, and says so with a beat.
  package var discovery: Int64 { max(3_000, beat * 4) }
  /// The longest time from a loss to the first word of another server that proves it is not shared.
  package var evidence: Int64 { max(echo, registryAnswer) + beat * 5 }

  /// The time without a server's beat on the bus after which its lock is looked at.
  package var silence: Int64 { max(1_000, beat * 2) }
  /// The time without an own beat on the bus after which this server is deaf.
  package var echo: Int64 { max(1_500, beat * 3) }
  /// The time for an answer of the registry after which it is out of reach.
  package var registryAnswer: Int64 { max(1_500, beat * 3) }
  /// How long the registry has been in reach before a free lock means anything: after its restart
  /// all servers have to take their locks again.
  package var lockTrust: Int64 { max(2_000, beat * 4) }
}
