package import HTTP1
internal import Reactor
package import WebSocket

/// The limits that a transport sets its peers.
///
/// Times are milliseconds.
package struct TransportConfiguration: Sendable {
  /// Bounds of one HTTP request.
  package var http = HTTPLimits()
  /// Bounds of one WebSocket message.
  package var webSocket = WebSocketLimits()
  /// The time limit of a request's head, from the connection's beginning, or from its first byte
  /// after a response.
  package var headTimeout: Int64 = 10_000
  /// The time for which a connection is kept after a response, until the next request begins.
  package var keepAliveTimeout: Int64 = 75_000
  /// The time limit of a whole body that is received in pieces; it may pause for ``headTimeout``.
  package var bodyTimeout: Int64 = 600_000
  /// The time for which a peer may accept no byte of a file.
  package var progressTimeout: Int64 = 30_000
  /// The interval between pings on an open WebSocket.
  package var pingInterval: Int64 = 25_000
  /// The time limit of the answer to a ping.
  package var pongTimeout: Int64 = 10_000
  /// The close code for a peer from which nothing comes after a ping.
  package var pongTimeoutCode = CloseCode.policyViolation
  /// The time limit of the answer to a close frame, and of the end of the peer's side.
  package var closeTimeout: Int64 = 5_000
  /// The number of queued bytes above which a connection is a slow consumer when more comes.
  package var outboundBytes = 1_048_576
  /// The close code for a slow consumer.
  package var slowConsumerCode = CloseCode.policyViolation
  /// Whether the writes of a fan-out share system calls where the kernel allows it (io_uring).
  package var gathersSystemCalls = true
  /// The rules for client addresses forwarded by proxies; `nil` trusts no proxy.
  package var forwarding: ForwardingRules?
  /// Counts connections by address; `nil` counts none.
  package var addresses: AddressRegister?
  /// Bounds the sockets of the process; `nil` leaves that to the kernel.
  package var sockets: SocketSharing?
  /// The time in Unix milliseconds, for `Date`; `nil` sends none.
  package var clock: (@Sendable () -> Int64)? = { SystemClock.unixMilliseconds }

  package init() {}

  /// Above this many waiting bytes a connection's own requests are not read.
  var outboundHighWaterMark: Int { outboundBytes / 2 }
}
