package import ParleyProtocol

/// Posting events to other services.
package struct WebhookSettings: Sendable, Equatable {
  /// The URLs that events are posted to; none when empty.
  package var urls: [String] = []
  /// The secret that the bodies are signed with; present when there is a URL.
  package var secret: Secret?
  /// The events that are posted.
  package var events = EventName.posted
  /// The time limit of a request.
  package var timeoutMilliseconds: Int64 = 5000
  /// The largest number of simultaneous requests to a URL.
  package var concurrency = 16
  /// The time for which an event is tried again.
  package var retrySeconds: Int64 = 86_400
  /// Most events that wait; beyond, the oldest are dropped.
  package var backlogEvents = 1_000_000
}
