internal import Reactor

/// The limits of a preview server, and its addresses.
///
/// Times are milliseconds.
struct UnfurlServerConfiguration: Sendable {
  /// The addresses to listen on; port 0 picks a free one.
  var listen: [SocketAddress]
  /// The time limit for receiving a request, in milliseconds.
  var headTimeout: Int64 = 10_000
  /// The longest that looking one link up may take, whatever is asked for.
  var timeout: Int64 = 5_000
  /// The largest number of unanswered questions; beyond it: 503 with `Retry-After`.
  var maximumPending = 10_000
  /// The time limit for unanswered questions when the server drains, in milliseconds.
  var drainTimeout: Int64 = 30_000

  init(listen: [SocketAddress]) { self.listen = listen }
}
