/// A message to the stage of a channel on a server, at the server's own shard of the channel.
package enum StageMessage: Sendable {
  // From sessions of the server, and from the homes of their users.
  /// A connection asks to enter; the user's home has already counted the channel.
  case enter(EnterRequest)
  /// A connection has left, or was closed.
  case leave(SessionAddress, userID: String)

  // From the channel's home on another server.
  /// The news of a turn, for the attachment with this number.
  case news([StageNews], attachment: UInt64)
  /// Whether members of a group have connections on the server; the answer is
  /// ``StageReport/sought(_:isHere:)``.
  case seek(MemberQuestion)
  /// The outcome of a call of a session on the stage's server, from a home to which the stage is
  /// not attached yet: delivered after the events that the stage has missed, up to a `seq`.
  case answer(ReplyAddress, CallOutcome, after: Int64)
}
