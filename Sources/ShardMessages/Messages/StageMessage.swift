package import Channels

/// A message to the stage of a channel on a server, at the server's own shard of the channel.
package enum StageMessage: Sendable {
  // From sessions of the server, and the homes of their users.
  /// A connection asks to enter; the user's home has counted the channel already.
  case enter(EnterRequest)
  /// A connection has left, or is closed.
  case leave(SessionAddress, userID: String)

  // From the channel's home on another server.
  /// The news of a turn, for the attachment of a number.
  case news([StageNews], attachment: UInt64)
  /// The outcome of a call of a session on the stage's server, from a home that the stage is not attached
  /// to yet: it comes after the events that the stage has missed, up to a `seq`.
  case answer(ReplyAddress, CallOutcome, after: Int64)
}
