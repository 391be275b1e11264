import Reactor

/// How a preview service is asked.
package struct RemoteUnfurlerConfiguration: Sendable {
  /// The URL of the service: http or https, without userinfo.
  package var url: String
  /// How the gateway names itself to the service.
  package var userAgent = "Parley/1.0"
  /// How many questions may be on their way at a time, each on a connection of its own.
  package var maximumRequests = 64
  /// How many of them may be about pages of one site, so that a slow one does not hold up the rest.
  package var maximumRequestsPerSite = 8
  /// How many of them may be made for one user, so that nobody takes all places.
  package var maximumRequestsPerUser = 16
  /// How many links may wait for their turn, a tenth of them one user's; beyond, a look-up fails at
  /// once.
  package var maximumWaiting = 10_000
  /// How much longer than the deadline the service's own word is waited for.
  package var grace = Duration.milliseconds(500)
  /// A PEM file with the certificate authorities that are trusted; `nil` for the system's.
  package var certificateAuthorities: String?
  /// When the service counts as not answering.
  package var breaker = CircuitBreaker.Limits()
  /// The clock of ``breaker``, in milliseconds.
  package var now: @Sendable () -> Int64 = { SystemClock.monotonicMilliseconds }
  /// Numbers from 0 to 1 that spread the returns of those who lost the same service.
  package var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

  package init(url: String) { self.url = url }
}
