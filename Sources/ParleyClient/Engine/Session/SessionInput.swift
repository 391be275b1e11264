internal import ClientTransport

/// An input of a session: a request of the application, an event of the connection, or time.
enum SessionInput: Sendable {
  case open(EngineCallID, SessionCredentials)
  case refresh(EngineCallID, accessToken: String)
  case close(EngineCallID)
  case call(EngineCallID, EngineCall)
  case cancel(EngineCallID)

  /// The opening handshake is done.
  case connectionOpened
  /// A whole text message came.
  case textReceived([UInt8])
  /// Something came, be it only a pong.
  case signOfLife
  case connectionEnded(ConnectionEnd)

  /// A deadline may have passed.
  case timePassed
}

/// The actions that a session requires, in order.
enum SessionAction: Sendable {
  /// Make a connection; there is none at the moment.
  case connect
  /// Send a text message.
  case send([UInt8])
  case ping
  /// Close the connection, or give up making it; what becomes of it is of no interest any more.
  case closeConnection(CloseReason)
  /// Tell the caller.
  case complete(EngineCallID, Result<[UInt8], ParleyError>)
  /// Tell the application.
  case deliver(EngineEvent)

  /// Why a connection is closed by this side.
  enum CloseReason: Sendable, Hashable {
    /// Nothing more is wanted of it (1000).
    case finished
    /// The server asked to go (1001).
    case goingAway
    /// The server sent what it may not (1002).
    case protocolError
    /// The caller no longer waits.
    case dead
  }
}
