internal import Reactor

/// The limits of a preview server, and its addresses.
///
/// Times are milliseconds.
struct UnfurlServerConfiguration: Sendable {
  /// The addresses to listen on; port 0 picks a free one.
  var listen: [SocketAddress]
  /// How long a request may take to come.
  var headTimeout: Int64 = 10_000
  /// The longest that looking one link up may take, whatever is asked for.
  var timeout: Int64 = 5_000
  /// How many questions may be unanswered at a time; beyond: 503 with `Retry-After`.
  var maximumPending = 10_000
  /// How long those that are unanswered may take to end when the server drains.
  var drainTimeout: Int64 = 30_000

  init(listen: [SocketAddress]) { self.listen = listen }
}
