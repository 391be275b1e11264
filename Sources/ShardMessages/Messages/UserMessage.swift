package import Channels
package import ParleyProtocol

/// A message to the home of a user.
package enum UserMessage: Sendable {
  /// A session is about to open; the answer is ``SessionMessage/expected``.
  case expect(SessionAddress)
  /// A session has opened.
  ///
  /// - `openedAt`: Unix milliseconds.
  /// - `newProfile`: The profile, if opening has changed it.
  case add(SessionAddress, openedAt: Int64, newProfile: User?)
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
  /// A session is there, after a change of the user's home or when messages were lost.
  ///
  /// - `openedAt`: Unix milliseconds; `nil` while the session is opening.
  /// - `channelURLs`: The channels that the session is in.
  case announce(SessionAddress, openedAt: Int64?, channelURLs: [String])
  /// A session belongs to another home from now on.
  case forget(SessionAddress)
  /// Which channels is the user in, or was until its connection was lost? The answer is
  /// ``ShardAnswer/channels(_:)``.
  case listChannels(replyTo: PollAddress)
}

extension UserMessage {
  /// Whether the message is part of a home's register of sessions.
  ///
  /// Such a message stays where its sender has sent it: each server announces its sessions anew to the
  /// home that it sees, so a message that is passed on could only come too late.
  package var isOfRegister: Bool {
    switch self {
    case .expect, .add, .remove, .release, .announce, .forget: true
    case .enter, .update, .expel, .revoke, .mention, .notify, .listChannels: false
    }
  }
}

/// The kind of token by which a session lives.
package enum TokenProof: Sendable, Hashable, CaseIterable {
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
