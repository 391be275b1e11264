/// The state of deliveries to a URL.
package struct ReceiverReport: Sendable, Hashable {
  /// The store's number of the URL.
  package var id: Int64
  /// The URL without its query.
  package var url: String
  /// The number of waiting events for it; set by ``Webhooks/report(_:)``.
  package var backlog = 0
  /// Unix milliseconds; `nil` when there was no success since the start.
  package var lastSuccess: Int64?
  package var lastFailure: Int64?
  /// The reason of the last failure; empty when there was none.
  package var reason: String
  /// Unix milliseconds; `nil` when no path waits for a time.
  package var nextAttempt: Int64?
}
