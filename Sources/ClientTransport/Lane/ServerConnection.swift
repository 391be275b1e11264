/// A WebSocket to the server, as a session uses it; confined to its lane.
///
/// Its session keeps it alive until it is closed; the lane finishes the closing.
package protocol ServerConnection: AnyObject {
  /// Sends a text message after the messages before it, unless the connection is not open.
  ///
  /// When more bytes wait than ``ConnectionPlan/maximumQueuedBytes``, the connection ends as lost.
  func send(_ text: [UInt8])

  /// Sends a ping without a payload.
  func ping()

  /// Closes the connection after the messages sent before; its owner receives no further calls.
  func close(_ code: ClosingCode)

  /// Releases all resources immediately, without sending anything to the server.
  func drop()
}

/// A receiver of a connection's events, on its lane.
package protocol ServerConnectionOwner: AnyObject {
  /// The opening handshake is complete: messages can be exchanged.
  func connectionDidOpen(_ connection: any ServerConnection)
  /// A text message arrived.
  func connection(_ connection: any ServerConnection, received text: [UInt8])
  /// Any bytes arrived, including only a pong.
  func connectionShowedLife(_ connection: any ServerConnection)
  /// Reports the end of the connection, once, unless the owner closed it.
  func connection(_ connection: any ServerConnection, ended end: ConnectionEnd)
}

/// The reason for closing a connection from this side (RFC 6455 §7.4.1).
package enum ClosingCode: UInt16, Sendable, Hashable {
  case normalClosure = 1000
  case goingAway = 1001
  case protocolError = 1002
}
