internal import Reactor

/// The URLs that events are posted to, and the rules of posting.
package struct WebhookConfiguration: Sendable {
  /// http or https URLs without credentials, each once.
  package var urls: [String]
  /// The key that signs bodies.
  package var secret: [UInt8]
  package var userAgent = "parley"
  /// The longest time of one request, in milliseconds.
  package var timeout: Int64 = 5_000
  /// Most requests under way to one URL.
  package var concurrency = 16
  /// The age up to which an event that failed is tried again, in milliseconds.
  package var retryTime: Int64 = 86_400_000
  /// The Unix milliseconds by which the age of an event is judged; `nil` while none is given up for its
  /// age, because the clock may be wrong.
  package var ageClock: @Sendable () -> Int64? = { SystemClock.unixMilliseconds }
  /// Most events that wait.
  package var backlogLimit = 1_000_000
  /// The time for requests under way when the server stops, in milliseconds.
  package var endingTime: Int64 = 2_000
  /// A PEM file with the certificate authorities that are trusted; `nil` for the system's.
  package var certificateAuthorities: String?
  package var waits = RetryWaits()

  package init(urls: [String], secret: [UInt8]) {
    self.urls = urls
    self.secret = secret
  }
}
