package import HTTP
internal import Reactor

/// The limits that a transport imposes on its peers.
///
/// Times are in milliseconds.
package struct TransportConfiguration: Sendable {
  /// The limits of one HTTP request.
  package var http = HTTPLimits()
  /// The limits of one WebSocket message.
  package var webSocket = WebSocketLimits()
  /// The time limit of a request's head, counted from the start of the connection, or from the first
  /// byte of the head after a response.
  package var headTimeout: Int64 = 10_000
  /// The time for which a connection is kept after a response, until the next request begins.
  package var keepAliveTimeout: Int64 = 75_000
  /// The time limit of a complete body that is received in pieces; it may pause for ``headTimeout``.
  package var bodyTimeout: Int64 = 600_000
  /// The longest time for which a peer may accept no byte of a file.
  package var progressTimeout: Int64 = 30_000
  /// The interval between pings on an open WebSocket.
  package var pingInterval: Int64 = 25_000
  /// The time limit of the answer to a ping.
  package var pongTimeout: Int64 = 10_000
  /// The close code for a peer that sends nothing after a ping.
  package var pongTimeoutCode = CloseCode.policyViolation
  /// The time limit of the answer to a close frame, and of the end of the peer's side.
  package var closeTimeout: Int64 = 5_000
  /// The number of queued bytes above which a connection that gets more is a slow consumer.
  package var outboundBytes = 1_048_576
  /// The close code for a slow consumer.
  package var slowConsumerCode = CloseCode.policyViolation
  /// Whether the writes of a fan-out share system calls where the kernel allows it (io_uring).
  package var gathersSystemCalls = true
  /// The rules for client addresses forwarded by proxies; `nil` trusts no proxy.
  package var forwarding: ForwardingRules?
  /// Counts connections by address; `nil` counts none.
  package var addresses: AddressRegister?
  /// Limits the sockets of the process; `nil` leaves the limit to the kernel.
  package var sockets: SocketSharing?
  /// The time in Unix milliseconds, for `Date`; `nil` sends none.
  package var clock: (@Sendable () -> Int64)? = { SystemClock.unixMilliseconds }

  package init() {}

  /// The number of queued bytes above which a connection's own requests are not read.
  var outboundHighWaterMark: Int { outboundBytes / 2 }
}
