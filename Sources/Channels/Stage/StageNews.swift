package import FloodControl
package import ParleyProtocol

/// The address of a stage on a server other than its channel's home.
package struct StageAddress: Hashable, Sendable {
  package let server: UInt16
  /// Counts the server's attachments; a number is never reused by the same start of the server.
  package let attachment: UInt64

  package init(server: UInt16, attachment: UInt64) {
    self.server = server
    self.attachment = attachment
  }
}

/// A message from a stage to its channel's home on another server.
package enum StageReport: Sendable {
  /// The stage requests the channel's events from now on, and reports its position; pieces with its
  /// users follow.
  indirect case attach(StageAttachment)
  /// A part of the stage's users; after each but the last, the home requests the next.
  indirect case arrive(StagePiece)
  /// A user who is not on the stage asks to enter by this connection; the answer has the same number.
  indirect case admit(UInt64, SessionPrincipal)
  /// A user is now on the stage, with this connection.
  indirect case entered(User, SessionAddress)
  /// A user is not, or no longer, on the stage.
  case left(userID: String)
  /// The stage has ended: no user is on it.
  case detach
  /// Whether members of a group have connections on the stage's server: the answer to a
  /// ``MemberQuestion`` with this number.
  case sought(UInt64, isHere: Bool)
  /// No member has a connection on the stage of a group.
  ///
  /// - `admissions`: The number of news since the attachment that may have brought connections.
  case vacant(admissions: Int)
}

/// A question of a group's home to a server: whether any of these users has a connection there.
package struct MemberQuestion: Sendable, Hashable {
  /// The numbers that one home has.
  static let numbersOfHome: UInt64 = 4_096

  /// Different for all questions of all homes of the group.
  package let number: UInt64
  package let userIDs: [String]
  /// Whether the users are members at the start of the news, so that their connections receive all of it.
  ///
  /// The connections of others are in the news.
  package let areSeated: Bool

  package init(number: UInt64, userIDs: [String], areSeated: Bool) {
    self.number = number
    self.userIDs = userIDs
    self.areSeated = areSeated
  }

  /// Different for each home of the group, and higher for later ones.
  package var home: UInt64 { number / Self.numbersOfHome }
}

/// The state of a channel on an attaching stage.
package struct StageAttachment: Sendable, Hashable {
  /// Empty for a stage that has had no home.
  package let epoch: String
  /// The last event that the stage has applied.
  package let seq: Int64
  /// The users known to the participants on the stage; `nil` if it has none.
  package let announced: AnnouncedUsers?
}

/// A part of the users of a stage that attaches.
package struct StagePiece: Sendable, Hashable {
  /// Users who are on the stage.
  package let userIDs: [String]
  package let isLast: Bool
}

/// A message from a channel's home to a stage on another server; the news of a turn travel together.
package enum StageNews: Sendable {
  /// The stage is attached; all that follows happened after this state.
  indirect case attached(StageStart)
  /// The home has recorded a piece of the stage's users, and waits for the next.
  case next
  /// There is no such channel.
  case absent
  /// The home has no such attachment, or releases the channel: the stage must attach again.
  case released
  /// The answer to ``StageReport/admit(_:_:)``: whether the user is in the channel on another server too.
  case admitted(UInt64, Result<Bool, ServiceError>)
  case event(ChannelEvent)
  case notice(StageNotice)
  /// The record of the channel, changed without an event.
  indirect case record(Channel)
  /// The throttle's new limit.
  case throttle(RateLimit)
  /// The number of users in the channel who are not on the stage.
  case elsewhere(Int)
  /// The outcome of a call of a session on the stage's server.
  indirect case answer(ReplyAddress, CallOutcome)

  // Of groups.
  /// A connection of a joined member that has opened its session.
  case seat(Seat)
  /// A notification for one member.
  indirect case memberNotice(MemberNotice)
  /// A notification without a number for the members.
  indirect case membersNotice(MembersNotice)
  /// The numbers of members of a large group.
  case memberCount(Event.MemberCount)
  /// Users on the stage who are not members.
  case strangers([String])
  /// The stage ends: nothing happens in the group, or no member is connected.
  case dispersed

  /// Whether it is a connection that the home has added.
  var isSeat: Bool { if case .seat = self { true } else { false } }

  /// Whether the news begin an attachment.
  package var isBeginning: Bool { if case .attached = self { true } else { false } }

  /// Whether the news may bring connections to a stage.
  var isAdmission: Bool {
    switch self {
    case .seat: true
    case .event(let event): event.admittedUserID != nil
    case .attached, .next, .absent, .released, .admitted, .notice, .record, .throttle, .elsewhere,
      .answer, .memberNotice, .membersNotice, .memberCount, .strangers, .dispersed:
      false
    }
  }
}

/// The state of a channel from which an attached stage continues.
package struct StageStart: Sendable, Hashable {
  package let channel: Channel
  /// The log's own number of the channel.
  package let channelID: Int64
  package let epoch: String
  /// The last event of the channel.
  package let seq: Int64
  package let throttleLimit: RateLimit
  /// The users known to participants; `nil` if the stage knows better, or the home does not know them.
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

  /// The state after a later event.
  func advanced(to seq: Int64) -> StageStart {
    StageStart(
      channel: channel, channelID: channelID, epoch: epoch, seq: seq, throttleLimit: throttleLimit,
      announced: announced)
  }
}
