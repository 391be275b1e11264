internal import Reactor

/// The URLs that events are posted to, and the rules of posting.
package struct WebhookConfiguration: Sendable {
  /// http or https URLs without credentials, each once.
  package var urls: [String]
  /// The key that signs bodies.
  package var secret: [UInt8]
  package var userAgent = "parley"
  /// The maximum duration of one request, in milliseconds.
  package var timeout: Int64 = 5_000
  /// Maximum number of concurrent requests to one URL.
  package var concurrency = 16
  /// The age up to which a failed event is retried, in milliseconds.
  package var retryTime: Int64 = 86_400_000
  /// The Unix time in milliseconds for the age of events; `nil` while no event is discarded for its age
  /// because the clock may be wrong.
  package var ageClock: @Sendable () -> Int64? = { SystemClock.unixMilliseconds }
  /// Maximum number of waiting events.
  package var backlogLimit = 1_000_000
  /// The time for requests in progress when the server stops, in milliseconds.
  package var endingTime: Int64 = 2_000
  /// A PEM file with the trusted certificate authorities; `nil` for those of the system.
  package var certificateAuthorities: String?
  package var waits = RetryWaits()

  package init(urls: [String], secret: [UInt8]) {
    self.urls = urls
    self.secret = secret
  }
}
