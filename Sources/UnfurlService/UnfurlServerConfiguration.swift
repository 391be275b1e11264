package import Reactor

/// What a preview server allows, and where it listens.
///
/// Times are milliseconds.
package struct UnfurlServerConfiguration: Sendable {
  /// Where it listens; port 0 picks a free one.
  package var listen: [SocketAddress]
  /// How long a request may take to come.
  package var headTimeout: Int64 = 10_000
  /// The longest that looking one link up may take, whatever is asked for.
  package var timeout: Int64 = 5_000
  /// How many questions may be unanswered at a time; beyond: 503 with `Retry-After`.
  package var maximumPending = 10_000
  /// How long those that are unanswered may take to end when the server drains.
  package var drainTimeout: Int64 = 30_000

  package init(listen: [SocketAddress]) { self.listen = listen }
}
