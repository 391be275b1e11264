package import HTTP
package import Reactor

/// The decisions that a transport leaves to its owner.
///
/// Called only on the transport's event loop.
package protocol TransportDelegate: AnyObject {
  /// Answers a request, or upgrades it to a WebSocket.
  func answer(_ exchange: Exchange) -> RequestOutcome

  /// Decides how the body of a request is received, if there is one.
  func decideOnBody(of exchange: Exchange) -> BodyDecision

  /// Returns the answer to bytes that are not a request, or to a request that exceeds the limits. The
  /// connection is closed after the answer.
  func connection(_ connection: Connection, refusalOf error: HTTPError) -> HTTPResponse

  /// Reports that a connection cannot be accepted for lack of a resource. Accepting resumes after a
  /// short pause.
  func transportCannotAccept(_ error: SystemError)

  /// Reports that a TLS handshake or session failed, with the reason as text.
  func connection(_ connection: Connection, brokeTLS reason: String)

  /// Reports that a connection was closed because it began without a trusted PROXY header, with the
  /// reason as text.
  func connection(_ connection: Connection, lacksProxyHeader reason: String)

  /// Reports that a connection is closed because its address has too many.
  func connection(_ connection: Connection, isRefused refusal: ExceededAddressLimit)

  /// Reports that a connection without a session is closed to make room, as the longest silent of all.
  func connectionWillBeShed(_ connection: Connection)

  /// Reports that a connection was closed immediately, because there was no room and none could be made.
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

  /// Receives the body with the request.
  package func decideOnBody(of exchange: Exchange) -> BodyDecision { .whole }

  /// Returns the error as plain text.
  package func connection(_ connection: Connection, refusalOf error: HTTPError) -> HTTPResponse {
    HTTPResponse(refusing: error)
  }
}

/// The delegate's decision on a request.
package enum RequestOutcome {
  case respond(HTTPResponse)
  /// ``Transport/respond(_:to:)`` or ``Transport/respond(_:with:to:)`` is called later on the event
  /// loop. Input from the peer waits until then. There is no timer: the delegate limits the time.
  ///
  /// `onAbandonment` is called, at most once and instead of the response, when the peer has closed the
  /// connection or it broke: the answer would reach no client. If it is `nil`, for work that cannot be
  /// cancelled, a peer that has ended only its own side is still answered.
  case respondLater(onAbandonment: (() -> Void)?)
  case upgrade(ServerHandshake.Acceptance, any WebSocketApplication)
}

/// A complete message from the peer.
package enum WebSocketMessage: Sendable {
  /// Valid UTF-8.
  case text([UInt8])
  case binary([UInt8])
}

/// The receiver of a WebSocket's messages.
///
/// Called only on the transport's event loop.
package protocol WebSocketApplication: AnyObject {
  func connection(_ connection: Connection, received message: WebSocketMessage)

  /// Reports that a part of the queue has been written, after ``Connection/hasRoom(for:)`` returned
  /// `false`.
  func connectionHasRoom(_ connection: Connection)

  /// Whether requests of the peer are still to be processed.
  func connectionIsBusy(_ connection: Connection) -> Bool

  /// Reports that the peer has ended its side of a busy connection: nothing more is received.
  ///
  /// The application ends the connection with ``Connection/close(_:reason:)`` when its requests are
  /// processed. After ``TransportConfiguration/closeTimeout`` the connection ends in any case.
  func connectionPeerDidEnd(_ connection: Connection)

  /// Reports that the WebSocket is no longer open: nothing more is received, and sent messages are
  /// dropped. Called once.
  func connectionDidClose(_ connection: Connection, _ reason: ClosingReason)
}

extension WebSocketApplication {
  /// Does nothing: only applications that check for room need it.
  package func connectionHasRoom(_ connection: Connection) {}

  /// Returns `false`: only applications that answer later need it.
  package func connectionIsBusy(_ connection: Connection) -> Bool { false }

  /// Does nothing: only applications that answer later need it.
  package func connectionPeerDidEnd(_ connection: Connection) {}
}

/// The reason why a WebSocket is no longer open.
package enum ClosingReason: Sendable, Equatable {
  /// The peer sent a close frame, with this code if any.
  case peerClosed(CloseCode?)
  /// The peer violated the protocol; we closed with this code.
  case protocolError(CloseCode)
  /// We closed, with this code.
  case closed(CloseCode)
  /// The connection ended without a close frame.
  case lost
}
