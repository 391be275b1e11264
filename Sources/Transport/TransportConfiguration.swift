package import HTTP1
package import WebSocket

/// What a transport allows its peers.
///
/// Times are milliseconds.
package struct TransportConfiguration: Sendable {
  /// Bounds of one HTTP request.
  package var http = HTTPLimits()
  /// Bounds of one WebSocket message.
  package var webSocket = WebSocketLimits()
  /// How long a request's head may take, from the connection's beginning or the last response.
  package var headTimeout: Int64 = 10_000
  /// How long a body that is taken in pieces may take as a whole; it may pause for
  /// ``headTimeout``.
  package var bodyTimeout: Int64 = 600_000
  /// How long a peer may take nothing of a file that is sent to it.
  package var progressTimeout: Int64 = 30_000
  /// How often an open WebSocket is pinged.
  package var pingInterval: Int64 = 25_000
  /// How long a ping may stay without any answer.
  package var pongTimeout: Int64 = 10_000
  /// The close code for a peer from which nothing comes after a ping.
  package var pongTimeoutCode = CloseCode.policyViolation
  /// How long a peer may take to answer a close frame, or to end its side.
  package var closeTimeout: Int64 = 5_000
  /// A connection with more than so many bytes waiting is a slow consumer when more comes.
  package var outboundBytes = 1_048_576
  /// The close code for a slow consumer.
  package var slowConsumerCode = CloseCode.policyViolation
  /// Whether the writes of a fan-out share system calls where the kernel allows it (io_uring).
  package var gathersSystemCalls = true
  /// Whose word is taken for whom a request is from; `nil` takes nobody's.
  package var forwarding: ForwardingRules?
  /// Counts connections by address; `nil` counts none.
  package var addresses: AddressRegister?
  /// Bounds the sockets of the process; `nil` leaves that to the kernel.
  package var sockets: SocketSharing?

  package init() {}

  /// Above this many waiting bytes a connection's own requests are not read.
  var outboundHighWaterMark: Int { outboundBytes / 2 }
}
