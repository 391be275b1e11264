/// One request of the protocol, as the public surface hands it to the engine.
struct EngineCall: Sendable {
  /// The method's name on the wire.
  let method: String
  /// A JSON object.
  let params: [UInt8]
  let repeatability: Repeatability
  /// The effect of the call on the channels that this client is in.
  let channel: ChannelEffect?
  /// The call's own time limit in milliseconds; `nil` for the usual one.
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

/// Names a call that is under way.
struct EngineCallID: Hashable, Comparable, Sendable {
  let number: Int64

  static func < (one: EngineCallID, other: EngineCallID) -> Bool { one.number < other.number }
}

/// The treatment of a call whose answer was lost with the connection.
///
/// A call that had not been written yet is sent after reconnecting in any case.
enum Repeatability: Sendable, Hashable {
  /// It may have had its effect, so it fails with ``ParleyError/connectionLost``.
  case once
  /// It is sent again: asking twice does no harm.
  case safe
  /// A `message.send` with a `req_id`: it is sent again under the same, and accepted once.
  case identified
}

/// The effect of a successful call on the channels that are entered again after reconnecting.
enum ChannelEffect: Sendable, Hashable {
  case enter(String)
  /// A connection that is lost has left the channel, so that the call is done.
  case exit(String)
  case delete(String)
}

/// The user of a session, with the access token.
struct SessionCredentials: Sendable, Hashable {
  var userID: String
  /// `nil` where the server asks for none.
  var accessToken: String?
  /// Replaces the stored nickname when given.
  var nickname: String?
  /// Replaces the stored address of a picture when given.
  var profileURL: String?
}
