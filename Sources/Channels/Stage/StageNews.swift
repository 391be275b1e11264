package import FloodControl
package import ParleyProtocol

/// Names a stage on another server than its channel's home.
package struct StageAddress: Hashable, Sendable {
  package let server: UInt16
  /// Counts what the server has attached; a number is never used again by the same start of it.
  package let attachment: UInt64

  package init(server: UInt16, attachment: UInt64) {
    self.server = server
    self.attachment = attachment
  }
}

/// A message of a stage to its channel's home on another server.
package enum StageReport: Sendable {
  /// The stage asks for the channel's events from now on, and says how far it has come; pieces with its
  /// users follow.
  indirect case attach(StageAttachment)
  /// A part of the stage's users; after each but the last, the home asks for the next.
  indirect case arrive(StagePiece)
  /// A user whom the stage does not have asks to enter; the answer has the same number.
  indirect case admit(UInt64, User)
  /// A user is on the stage from now on, by this connection.
  indirect case entered(User, SessionAddress)
  /// A user is not, or no longer, on the stage.
  case left(userID: String)
  /// The stage is gone: nobody is on it.
  case detach
}

/// The part of a channel that a stage has.
package struct StageAttachment: Sendable, Hashable {
  /// Empty for a stage that has had no home.
  package let epoch: String
  /// The last event that the stage has applied.
  package let seq: Int64
  /// The users of whom the participants on the stage know; `nil` when it has none.
  package let announced: AnnouncedUsers?

  package init(epoch: String, seq: Int64, announced: AnnouncedUsers?) {
    self.epoch = epoch
    self.seq = seq
    self.announced = announced
  }
}

/// A part of the users of a stage that attaches.
package struct StagePiece: Sendable, Hashable {
  /// Users who are on the stage.
  package let userIDs: [String]
  package let isLast: Bool

  package init(userIDs: [String], isLast: Bool) {
    self.userIDs = userIDs
    self.isLast = isLast
  }
}

/// A message of a channel's home to a stage on another server; the news of a turn travel together.
package enum StageNews: Sendable {
  /// The stage is attached; all that follows happened after this state.
  indirect case attached(StageStart)
  /// The home has taken a piece of the stage's users in, and waits for the next.
  case next
  /// There is no such channel.
  case absent
  /// The home has no such attachment, or gives the channel up: the stage has to attach anew.
  case released
  /// The answer to ``StageReport/admit(_:_:)``: whether the user is in the channel on another server too.
  case admitted(UInt64, Result<Bool, ServiceError>)
  case event(ChannelEvent)
  case notice(StageNotice)
  /// The record of the channel, changed without an event.
  indirect case record(Channel)
  /// The throttle's limit, from now on.
  case throttle(RateLimit)
  /// The number of users in the channel who are not on the stage.
  case elsewhere(Int)
  /// The outcome of a call of a session on the stage's server.
  indirect case answer(ReplyAddress, CallOutcome)
}

/// The state of a channel from which an attached stage goes on.
package struct StageStart: Sendable, Hashable {
  package let channel: Channel
  /// The log's own number of the channel.
  package let channelID: Int64
  package let epoch: String
  /// The last event of the channel.
  package let seq: Int64
  package let throttleLimit: RateLimit
  /// The users of whom participants know; `nil` when the stage knows better, or the home does not.
  package var announced: AnnouncedUsers?

  package init(
    channel: Channel, channelID: Int64, epoch: String, seq: Int64, throttleLimit: RateLimit,
    announced: AnnouncedUsers?
  ) {
    self.announced = announced
    self.channel = channel
    self.channelID = channelID
    self.epoch = epoch
    self.seq = seq
    self.throttleLimit = throttleLimit
  }
}
