package import ParleyProtocol

/// An input of an ``AttachedStage``.
package enum AttachmentInput: Sendable {
  /// The channel has another home, or the link to it broke: attach under a new number.
  case attach(UInt64)
  /// The stage was made for connections that a home of a group asked for, and waits for its news under this
  /// number.
  case await(UInt64, home: UInt64)
  /// The home beside the stage releases the channel; with the users known to participants.
  case released(AnnouncedUsers)
  /// The news of a turn, for the attachment with this number.
  case news(UInt64, [StageNews])
  /// The events that the read for an attachment found, `nil` if they are no longer stored, and the
  /// sends of this server's connections that were unanswered when the read began.
  case repaired(UInt64, Result<[DurableEvent]?, ServiceError>, awaited: [AwaitedSend])
  /// Events after the last known one, read from the log while the home was silent, and the epoch of
  /// their count.
  case polled([DurableEvent], epoch: String, awaited: [AwaitedSend])
  /// A connection that asks to enter.
  case enter(EnterRequest)
  /// The outcome of a call, from a home to which the stage may not be attached yet, and the last
  /// event before the outcome.
  case answer(ReplyAddress, CallOutcome, after: Int64)
}
