/// How it goes with a URL.
package struct ReceiverReport: Sendable, Hashable {
  /// The store's number of it.
  package var id: Int64
  /// Without its query.
  package var url: String
  /// Events that it has not got; filled in by ``Webhooks/report(_:)``.
  package var backlog = 0
  /// Unix milliseconds; `nil` when there was none since the start.
  package var lastSuccess: Int64?
  package var lastFailure: Int64?
  /// Why the last one failed; empty when none did.
  package var reason: String
  /// Unix milliseconds; `nil` when nothing waits for a time.
  package var nextAttempt: Int64?
}
