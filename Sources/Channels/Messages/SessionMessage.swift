package import ParleyProtocol

/// A message to a session; ignored if its connection is gone, unless documented otherwise.
package enum SessionMessage: Sendable {
  /// The user's home has recorded that the session is opening.
  case expected
  /// The outcome of a call.
  case complete(ReplyAddress, CallOutcome)
  /// The session is now in a channel, and receives all deliveries after this message.
  ///
  /// If the connection is gone, its shard reports that to the homes of the channel and the user.
  case entered(channelURL: String, userID: String, ReplyAddress, result: [UInt8])
  /// The session of a member now receives the events of a group.
  ///
  /// If the connection is gone, its shard reports that to the home of the group.
  case seated(channelURL: String, userID: String)
  /// The channel has removed the session.
  case removed(channelURL: String)
  case notify([UInt8])
  /// The user's profile has changed.
  case profile(User)
  /// Closes the session: the user was expelled.
  case expel(reason: String)
  /// Closes the session: the user has too many sessions open, and this is the oldest.
  case expelOldest
  /// Closes the session if it was opened with this kind of token.
  case revoke(TokenProof, reason: String)
  /// Closes the session so that its client reconnects: events of a channel were lost here.
  case disconnect
  /// Charges the session for the time of a query.
  case charge(QueryCost)
  /// Lets later calls pass one that waits for its time.
  case pass(CallTicket)
  /// Charges the session for a repeated send, which counts in no window of sends.
  case chargeRepetition(CallTicket)
}
