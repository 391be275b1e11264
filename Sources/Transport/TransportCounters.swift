/// The counts of a transport since its start.
///
/// Confined to its event loop.
package struct TransportCounters: Sendable {
  /// Connections accepted.
  package var accepted = 0
  /// Bytes read from sockets.
  package var bytesReceived = 0
  /// Bytes written to sockets.
  package var bytesSent = 0
  /// Writes to sockets.
  package var writes = 0
  /// Complete WebSocket messages received.
  package var messagesReceived = 0
  /// Connections closed because their queues exceeded the limit.
  package var slowConsumers = 0
  /// Connections closed because their address had too many.
  package var refusedByAddress = 0
  /// Connections closed, after a long silence and without a session, to make room for others.
  package var shed = 0
  /// Connections closed immediately because there was no room for them.
  package var turnedAway = 0

  package init() {}
}
