/// What the peer has done, in the order in which it did.
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

/// What receiving bytes led to; the driver empties it and uses it again.
package struct WebSocketOutput: Sendable {
  /// What the peer has done.
  package var events: [WebSocketEvent] = []
  /// What is to be written to the peer.
  package var bytes: [UInt8] = []

  /// Makes an empty output.
  package init() {}

  /// Empties it, keeping the memory for the next use.
  package mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }
}
