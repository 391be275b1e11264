/// The timeouts and intervals of a ``Membership``, in milliseconds.
package struct MembershipTiming: Sendable, Equatable {
  /// Between two beats (`cluster.beat_ms`).
  package var beat: Int64 = 500
  /// The age of a beat in the registry from which the server is dead (`cluster.server_timeout_ms`).
  package var serverTimeout: Int64 = 3_000
  /// The time that an isolated server stays in the cluster (`cluster.isolation_ms`).
  package var isolation: Int64 = 5_000

  package init() {}

  /// The time within which all servers detect that the database does not accept writes, or reach the bus
  /// and the database again: an idle server checks each second, and reports the result with a beat.
  package var discovery: Int64 { max(3_000, beat * 4) }
  /// The maximum time from a loss to the first message of another server that does not share it.
  package var evidence: Int64 { max(echo, registryAnswer) + beat * 5 }

  /// The time without a server's beat on the bus after which its lock is checked.
  package var silence: Int64 { max(1_000, beat * 2) }
  /// The time without own beats on the bus after which this server is deaf.
  package var echo: Int64 { max(1_500, beat * 3) }
  /// The timeout of the registry's answers, after which it is out of reach.
  package var registryAnswer: Int64 { max(1_500, beat * 3) }
  /// How long the registry must have been in reach before a free lock counts: after its restart all
  /// servers have to take their locks again.
  package var lockTrust: Int64 { max(2_000, beat * 4) }
}
