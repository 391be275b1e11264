/// One request of the protocol, as the public API passes it to the engine.
struct EngineCall: Sendable {
  /// The method's name on the wire.
  let method: String
  /// A JSON object.
  let params: [UInt8]
  let repeatability: Repeatability
  /// The effect of the call on the channels that the client is in.
  let channel: ChannelEffect?
  /// The call's own time limit in milliseconds; `nil` for the default.
  let timeout: Int64?

  init(
    method: String, params: [UInt8], repeatability: Repeatability, channel: ChannelEffect? = nil,
    timeout: Int64? = nil
  ) {
    self.method = method
    self.params = params
    self.repeatability = repeatability
    self.channel = channel
    self.timeout = timeout
  }
}

/// Identifies an open call.
struct EngineCallID: Hashable, Comparable, Sendable {
  let number: Int64

  static func < (one: EngineCallID, other: EngineCallID) -> Bool { one.number < other.number }
}

/// The handling of a call whose response was lost with the connection.
///
/// A call that was not written is sent after reconnecting in any case.
enum Repeatability: Sendable, Hashable {
  /// The call may have taken effect, so it fails with ``ParleyError/connectionLost``.
  case once
  /// The call is sent again: it is idempotent.
  case safe
  /// A `message.send` with a `req_id`: it is sent again with the same id, and accepted once.
  case identified
}

/// The effect of a successful call on the channels to re-enter after reconnecting.
enum ChannelEffect: Sendable, Hashable {
  case enter(String)
  /// A lost connection has already left the channel, so the call is complete.
  case exit(String)
  case delete(String)
}

/// The user of a session, with the access token.
struct SessionCredentials: Sendable, Hashable {
  var userID: String
  /// `nil` if the server requires none.
  var accessToken: String?
  /// Replaces the stored nickname when given.
  var nickname: String?
  /// Replaces the stored picture URL when given.
  var profileURL: String?
}
