package import Channels
package import ParleyProtocol

/// A message to the home of a user.
package enum UserMessage: Sendable {
  /// A session is about to open; the answer is ``SessionMessage/expected``.
  case expect(SessionAddress)
  /// A session has opened.
  ///
  /// - `newProfile`: The profile, if opening has changed it.
  case add(SessionAddress, newProfile: User?)
  /// A session has closed, or does not open.
  case remove(SessionAddress)
  /// A session asks to enter a channel; the request goes on to the channel's home if the user may be
  /// in one more.
  case enter(EnterRequest, channelURL: String)
  /// A session is not, or no longer, in a channel.
  case release(SessionAddress, channelURL: String)
  /// The user has another profile.
  case update(User)
  /// Closes all sessions of the user.
  case expel(reason: String)
  /// Closes the sessions that live by a kind of token.
  case revoke(TokenProof, reason: String)
  /// The user has mentioned others who are absent from a channel: an event for each of them, as far
  /// as the user's budget reaches.
  case mention([String], event: [UInt8])
  /// An event for all sessions of the user.
  case notify([UInt8])
}

/// The kind of token by which a session lives.
package enum TokenProof: Sendable, Hashable {
  /// None: the server asks for no tokens.
  case none
  /// A JSON Web Token.
  case signed
  /// The one access token of the user.
  case accessToken
  /// One of the user's session tokens.
  case sessionToken

  /// Whether the token can only be that of a user who exists.
  package var needsAccount: Bool {
    switch self {
    case .none, .signed: false
    case .accessToken, .sessionToken: true
    }
  }
}
