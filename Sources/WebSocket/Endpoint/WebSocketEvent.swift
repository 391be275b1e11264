/// An event of the peer.
package enum WebSocketEvent: Sendable, Hashable {
  /// A whole text message, which is UTF-8.
  case text([UInt8])
  /// A whole binary message.
  case binary([UInt8])
  /// A ping; its pong is in ``WebSocketOutput/bytes`` already.
  case ping([UInt8])
  /// A pong, asked for or not.
  case pong([UInt8])
  /// The peer's close frame. Our reply, if it was due, is in ``WebSocketOutput/bytes``: write it; a
  /// server then closes the transport, a client waits for the server to do so.
  case closed(code: CloseCode?, reason: String)
  /// The peer broke the protocol. The close frame that says so is in ``WebSocketOutput/bytes``,
  /// unless one had been sent before: write it and close the transport.
  case failed(WebSocketError)
}

/// The results of receiving bytes; the driver empties and reuses it.
package struct WebSocketOutput: Sendable {
  /// The events of the peer, in order.
  package var events: [WebSocketEvent] = []
  /// The bytes to write to the peer.
  package var bytes: [UInt8] = []

  /// Makes an empty output.
  package init() {}

  /// Empties it, keeping the memory for the next use.
  package mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }
}
