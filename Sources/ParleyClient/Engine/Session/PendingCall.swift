/// A call that is not answered yet.
struct PendingCall: Sendable {
  /// How far it has come.
  enum Phase: Sendable, Hashable {
    /// Not written on the present connection.
    case waiting
    case sent
  }

  /// The key that identifies a `message.send` in the channel's events.
  struct Send: Sendable, Hashable {
    let channelURL: String
    let requestID: String
  }

  /// The engine's own purpose of a call.
  enum Purpose: Sendable, Hashable {
    case plain
    case send(Send)
    /// Goes on with another token.
    case refresh(accessToken: String)
  }

  let id: EngineCallID
  let call: EngineCall
  /// Milliseconds, on the machine's clock.
  let deadline: Int64
  let purpose: Purpose
  var phase = Phase.waiting
  /// When it was first written, on whichever connection.
  var firstSent: Int64?

  /// The bytes that a waiting call takes: its text and the request around it.
  var byteCount: Int { call.params.count + call.method.utf8.count + 64 }
}
