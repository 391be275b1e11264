/// The counts of a transport since its start.
///
/// Confined to its event loop.
package struct TransportCounters: Sendable {
  /// Connections accepted.
  package var accepted = 0
  /// Bytes taken from sockets.
  package var bytesReceived = 0
  /// Bytes given to sockets.
  package var bytesSent = 0
  /// Writes to sockets.
  package var writes = 0
  /// WebSocket messages received whole.
  package var messagesReceived = 0
  /// Connections closed because too much waited for them.
  package var slowConsumers = 0
  /// Connections closed because their address has too many.
  package var refusedByAddress = 0
  /// Connections closed, after a long silence and without a session, to make room for others.
  package var shed = 0
  /// Connections closed at once because there was no room for them.
  package var turnedAway = 0

  package init() {}
}
