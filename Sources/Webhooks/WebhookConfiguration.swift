/// Where events are posted, and how.
package struct WebhookConfiguration: Sendable {
  /// http or https URLs without credentials, each once.
  package var urls: [String]
  /// What bodies are signed with.
  package var secret: [UInt8]
  package var userAgent = "parley"
  /// How long one request may take, in milliseconds.
  package var timeout: Int64 = 5_000
  /// How many requests of one URL may be under way.
  package var concurrency = 16
  /// How old an event may be, in milliseconds, that failed and is tried again.
  package var retryTime: Int64 = 86_400_000
  /// Most events that wait.
  package var backlogLimit = 1_000_000
  /// How long requests may go on when the server stops, in milliseconds.
  package var endingTime: Int64 = 2_000
  /// A PEM file with the certificate authorities that are trusted; `nil` for the system's.
  package var certificateAuthorities: String?
  package var waits = RetryWaits()

  package init(urls: [String], secret: [UInt8]) {
    self.urls = urls
    self.secret = secret
  }
}
