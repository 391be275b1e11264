package import ParleyProtocol

/// An input of a ``AttachedStage``.
package enum AttachmentInput: Sendable {
  /// The channel has another home, or the link to it broke: attach under a new number.
  case attach(UInt64)
  /// The home beside the stage gives the channel up; participants know of these users.
  case released(AnnouncedUsers)
  /// The news of a turn, for the attachment of a number.
  case news(UInt64, [StageNews])
  /// The events that the read for an attachment found, `nil` when they are no longer known, and the
  /// sends of this server's connections that were not answered when it began.
  case repaired(UInt64, Result<[DurableEvent]?, ServiceError>, awaited: [AwaitedSend])
  /// Events after the last that is known, read from the log while the home was not heard, and the
  /// epoch of their count.
  case polled([DurableEvent], epoch: String, awaited: [AwaitedSend])
  /// A connection that asks to enter.
  case enter(EnterRequest)
  /// The outcome of a call, from a home that the stage may not be attached to yet, and the last event
  /// before it.
  case answer(ReplyAddress, CallOutcome, after: Int64)
}
