package import Channels
package import ParleyProtocol

/// A message to a session; passed over when its connection is gone, unless it says otherwise.
package enum SessionMessage: Sendable {
  /// The user's home knows that the session is opening.
  case expected
  /// The outcome of a call.
  case complete(ReplyAddress, CallOutcome)
  /// The session is in a channel from now on, and receives what is delivered after this message.
  ///
  /// When the connection is gone, its shard reports that to the homes of the channel and the user.
  case entered(channelURL: String, userID: String, ReplyAddress, result: [UInt8])
  /// The channel has put the session out.
  case removed(channelURL: String)
  case notify([UInt8])
  /// The user has another profile.
  case profile(User)
  /// Closes the session: the user was put out.
  case expel(reason: String)
  /// Closes the session: the user has opened too many, and this is the oldest.
  case expelOldest
  /// Closes the session if it lives by a kind of token.
  case revoke(TokenProof, reason: String)
  /// Closes the session, so that its client comes back: events of a channel are lost here.
  case disconnect
  /// Charges the session for the time of a query.
  case charge(QueryCost)
  /// Charges the session for a send that repeated another.
  case chargeRepetition
}
