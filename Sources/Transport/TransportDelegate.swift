package import HTTP1
package import Reactor
package import WebSocket

/// The decisions that a transport leaves to its owner.
///
/// Called on the transport's event loop only.
package protocol TransportDelegate: AnyObject {
  /// Answers a request, or lets it become a WebSocket.
  func answer(_ exchange: Exchange) -> RequestOutcome

  /// Decides how the body of a request is received, when there is one.
  func decideOnBody(of exchange: Exchange) -> BodyDecision

  /// Returns the answer to bytes that are no request, or to a request beyond the limits; the
  /// connection is closed after it.
  func connection(_ connection: Connection, refusalOf error: HTTPError) -> HTTPResponse

  /// Reports that a connection cannot be accepted for lack of a resource; accepting continues after
  /// a moment.
  func transportCannotAccept(_ error: SystemError)

  /// Reports that a TLS handshake or session broke, with the reason as text.
  func connection(_ connection: Connection, brokeTLS reason: String)

  /// Reports that a connection was closed because it began without a trusted PROXY header, with the
  /// reason as text.
  func connection(_ connection: Connection, lacksProxyHeader reason: String)

  /// A connection is closed because its address has too many.
  func connection(_ connection: Connection, isRefused refusal: ExceededAddressLimit)

  /// A connection without a session is closed, after the longest silence of all, to make room.
  func connectionWillBeShed(_ connection: Connection)

  /// A connection was closed at once, as there was no room and none that could be made.
  func transportHasNoRoom()
}

extension TransportDelegate {
  /// Does nothing: only servers with listeners for proxies need it.
  package func connection(_ connection: Connection, lacksProxyHeader reason: String) {}

  /// Does nothing: only owners that limit addresses need it.
  package func connection(_ connection: Connection, isRefused refusal: ExceededAddressLimit) {}

  /// Does nothing: only owners that share sockets need it.
  package func connectionWillBeShed(_ connection: Connection) {}

  /// Does nothing: only owners that share sockets need it.
  package func transportHasNoRoom() {}

  /// With the request.
  package func decideOnBody(of exchange: Exchange) -> BodyDecision { .whole }

  /// The error as plain text.
  package func connection(_ connection: Connection, refusalOf error: HTTPError) -> HTTPResponse {
    HTTPResponse(refusing: error)
  }
}

/// The delegate's decision on a request.
package enum RequestOutcome {
  case respond(HTTPResponse)
  /// ``Transport/respond(_:to:)`` or ``Transport/respond(_:with:to:)`` follows, from a later call on
  /// the event loop; input from the peer waits meanwhile. There is no timer: the delegate bounds
  /// the time.
  ///
  /// `onAbandonment` is called, at most once and instead of the response, when the peer has ended
  /// the connection or it broke: the answer would reach no client. With `nil`, for work that cannot
  /// be cancelled, a peer that has ended only its own side is still answered.
  case respondLater(onAbandonment: (() -> Void)?)
  case upgrade(ServerHandshake.Acceptance, any WebSocketApplication)
}

/// A whole message of the peer's.
package enum WebSocketMessage: Sendable {
  /// Valid UTF-8.
  case text([UInt8])
  case binary([UInt8])
}

/// The receiver of a WebSocket's messages.
///
/// Called on the transport's event loop only.
package protocol WebSocketApplication: AnyObject {
  func connection(_ connection: Connection, received message: WebSocketMessage)

  /// Reports that a part of the queue has been written, after ``Connection/hasRoom(for:)`` returned
  /// `false`.
  func connectionHasRoom(_ connection: Connection)

  /// Whether requests of the peer are still to be carried out.
  func connectionIsBusy(_ connection: Connection) -> Bool

  /// Reports that the peer has ended its side of a busy connection: nothing more is received.
  ///
  /// The application ends the connection with ``Connection/close(_:reason:)`` when it is done; after
  /// ``TransportConfiguration/closeTimeout`` the connection ends in any case.
  func connectionPeerDidEnd(_ connection: Connection)

  /// The WebSocket is no longer open: nothing more is received, and messages sent are dropped.
  /// Called once.
  func connectionDidClose(_ connection: Connection, _ reason: ClosingReason)
}

extension WebSocketApplication {
  /// Does nothing: only applications that check for room need it.
  package func connectionHasRoom(_ connection: Connection) {}

  /// `false`: only applications that answer later need it.
  package func connectionIsBusy(_ connection: Connection) -> Bool { false }

  /// Does nothing: only applications that answer later need it.
  package func connectionPeerDidEnd(_ connection: Connection) {}
}

/// The reason why a WebSocket is no longer open.
package enum ClosingReason: Sendable, Equatable {
  /// The peer sent a close frame, with this code if any.
  case peerClosed(CloseCode?)
  /// The peer broke the protocol; we closed with this code.
  case protocolError(CloseCode)
  /// We closed, with this code.
  case closed(CloseCode)
  /// The connection ended without a close frame.
  case lost
}
