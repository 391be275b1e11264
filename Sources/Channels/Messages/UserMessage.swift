package import ParleyProtocol

/// A message to the home of a user.
package enum UserMessage: Sendable {
  /// A session is opening; the answer is ``SessionMessage/expected``.
  case expect(SessionAddress)
  /// A session has opened.
  ///
  /// - `openedAt`: Unix milliseconds.
  /// - `newProfile`: The profile, if opening the session has changed it.
  /// - `hearsGroups`: Whether the session receives the events of the user's groups.
  case add(SessionAddress, openedAt: Int64, newProfile: User?, hearsGroups: Bool)
  /// A session has closed, or failed to open.
  ///
  /// - `lostSince`: The last sign of life of a client that did not close its connection, in Unix
  ///   milliseconds; `nil` for any other.
  case remove(SessionAddress, lostSince: Int64?)
  /// A session has gone to the background, where its user gets pushes, or has come back.
  case background(SessionAddress, Bool)
  /// A session asks to enter a channel; the request is forwarded to the channel's home if the user
  /// may enter one more channel.
  case enter(EnterRequest, channelURL: String)
  /// A session is not, or no longer, in a channel.
  case release(SessionAddress, channelURL: String)
  /// The user's profile has changed.
  case update(User)
  /// Closes all sessions of the user.
  case expel(reason: String)
  /// Closes the sessions that were opened with this kind of token.
  case revoke(TokenProof, reason: String)
  /// The user has mentioned others who are absent from a channel: an event for each of them, within
  /// the user's budget.
  case mention([String], event: [UInt8])
  /// An event for all sessions of the user.
  case notify([UInt8])
  /// An event for the sessions of the user that hear groups.
  case notifyOfGroup([UInt8])
  /// Announces an existing session, after a change of the user's home or after messages were lost.
  ///
  /// - `openedAt`: Unix milliseconds; `nil` while the session is opening.
  /// - `channelURLs`: The open channels that the session is in.
  /// - `hearsGroups`: Whether the session receives the events of the user's groups.
  /// - `isInBackground`: Whether the user gets pushes in spite of the session.
  case announce(
    SessionAddress, openedAt: Int64?, channelURLs: [String], hearsGroups: Bool,
    isInBackground: Bool)
  /// The session now belongs to another home.
  case forget(SessionAddress)
  /// Which channels is the user in, or was in until its connection was lost? The answer is
  /// ``ShardAnswer/channels(_:)``.
  case listChannels(replyTo: PollAddress)
}

extension UserMessage {
  /// Whether the message updates a home's register of sessions.
  ///
  /// Such a message is never forwarded: each server announces its sessions again to the home in its
  /// ring, so a forwarded message could only arrive too late.
  package var isOfRegister: Bool {
    switch self {
    case .expect, .add, .remove, .background, .release, .announce, .forget: true
    case .enter, .update, .expel, .revoke, .mention, .notify, .notifyOfGroup, .listChannels: false
    }
  }
}

/// The kind of token that a session was opened with.
package enum TokenProof: Sendable, Hashable, CaseIterable {
  /// None: the server requires no tokens.
  case none
  /// A JSON Web Token.
  case signed
  /// The user's only access token.
  case accessToken
  /// One of the user's session tokens.
  case sessionToken

  /// Whether only an existing user can have such a token.
  package var needsAccount: Bool {
    switch self {
    case .none, .signed: false
    case .accessToken, .sessionToken: true
    }
  }
}
