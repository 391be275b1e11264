package import ParleyProtocol

/// An event of a channel, encoded once for all recipients.
///
/// The channel's judge creates it from an ``Event``; every stage of the channel applies it, in the order
/// of `seq`, and decides from its subject which participants are shown the event and what follows.
package struct ChannelEvent: Sendable {
  /// The subject of an event, as far as stages need it.
  package enum Subject: Sendable {
    /// A message, which the throttle may withhold from some participants.
    case message(MessageFacts)
    /// A change of a message: for all from whom the message was not withheld, and rate-limited.
    case update(ofMessage: Int64)
    /// A change of a message of a group that changes its mentions: clients count by each of them, so it is not
    /// rate-limited.
    case mentionChange(ofMessage: Int64)
    /// The deletion of a message.
    case deletion(ofMessage: Int64)
    /// A change of the channel's record, with the new state.
    indirect case record(Channel)
    /// A change of the channel's operators, with the new list.
    case operators([User])
    /// A ban: the user is removed after everyone has been notified.
    case expulsion(ofUser: String)
    /// A user has joined a group: its connections hear this event and what follows.
    case admission(ofUser: String)
    /// A member has left a group: its connections hear nothing more.
    case departure(ofUser: String, DepartureReason)
    /// Users were invited to a group, or an invited one has declined.
    case invitation
    /// A user has joined a large group: only its connections are notified of it, without a number.
    case quietAdmission(ofUser: String)
    /// A member has left a large group: only its connections are notified of it, without a number.
    case quietDeparture(ofUser: String, DepartureReason)
    /// The deletion of the channel: everyone is removed after the notification.
    case end
    /// An event without further effects on a stage.
    case announcement
  }

  /// The notification as a JSON text.
  package let payload: [UInt8]
  package let subject: Subject
  /// The position in the channel's count; of an event without a number, that of the event before it.
  package let seq: Int64
  /// Unix milliseconds.
  package let timestamp: Int64
  /// The connection that receives the event only as the answer to its request.
  package let author: SessionAddress?
}

extension ChannelEvent {
  /// Encodes an event of a channel.
  ///
  /// - Parameter author: The connection that receives the event only as the answer to its request.
  init(
    _ event: Event, in channelURL: String, seq: Int64, at timestamp: Int64,
    author: SessionAddress?
  ) {
    self.init(
      payload: event.notification(
        from: EventOrigin(channelURL: channelURL, seq: seq, timestamp: timestamp)),
      subject: Subject(event), seq: seq, timestamp: timestamp, author: author)
  }
}

extension ChannelEvent {
  /// Encodes a user's joining or leaving of a large group; `nil` for another event.
  ///
  /// - Parameter seq: The number of the event before it.
  init?(quietly event: Event, in channelURL: String, after seq: Int64, at timestamp: Int64) {
    let subject: Subject
    switch Subject(event) {
    case .admission(let userID): subject = .quietAdmission(ofUser: userID)
    case .departure(let userID, let reason): subject = .quietDeparture(ofUser: userID, reason)
    case .message, .update, .mentionChange, .deletion, .record, .operators, .expulsion, .invitation,
      .quietAdmission, .quietDeparture, .end, .announcement:
      return nil
    }
    self.init(
      payload: event.notification(
        from: EventOrigin(channelURL: channelURL, timestamp: timestamp)),
      subject: subject, seq: seq, timestamp: timestamp, author: nil)
  }
}

extension ChannelEvent {
  /// The user who has joined the group by this event; `nil` for every other event.
  package var admittedUserID: String? {
    switch subject {
    case .admission(let userID), .quietAdmission(let userID): userID
    case .message, .update, .mentionChange, .deletion, .record, .operators, .expulsion, .departure,
      .invitation, .quietDeparture, .end, .announcement:
      nil
    }
  }

  /// Whether the event has a number of its own, instead of that of the event before it.
  var isNumbered: Bool {
    switch subject {
    case .quietAdmission, .quietDeparture: false
    case .message, .update, .mentionChange, .deletion, .record, .operators, .expulsion, .admission,
      .departure, .invitation, .end, .announcement:
      true
    }
  }

  /// The last numbered event before this one.
  package var previousSeq: Int64 { isNumbered ? seq - 1 : seq }
}

extension ChannelEvent.Subject {
  init(_ event: Event) {
    self =
      switch event {
      case .messageReceived(let message): .message(MessageFacts(message.message))
      case .messageUpdated(let message):
        message.former == nil
          ? .update(ofMessage: message.message.id)
          : .mentionChange(ofMessage: message.message.id)
      case .messageDeleted(let deletion): .deletion(ofMessage: deletion.messageID)
      case .channelChanged(let info), .channelFrozen(let info), .channelUnfrozen(let info):
        .record(info.channel)
      case .operatorsChanged(let operators): .operators(operators.users)
      case .userBanned(let ban): .expulsion(ofUser: ban.user.id)
      case .groupJoined(let membership): .admission(ofUser: membership.user.id)
      case .groupLeft(let departure):
        .departure(ofUser: departure.membership.user.id, departure.reason)
      case .groupInvited, .groupDeclined: .invitation
      case .channelDeleted: .end
      case .channelCreated, .userMuted, .userUnmuted, .userUnbanned, .userEntered, .userExited,
        .participantCount, .throttled, .messageWithheld, .mentionReceived, .sessionExpiring,
        .sessionFileKey, .serverDraining, .groupCreated, .groupMemberCount, .groupLost,
        .groupUnread, .groupHidden, .groupUnhidden, .groupRead, .groupDelivered, .groupTyping,
        .groupReady, .groupTotals, .reported:
        .announcement
      }
  }
}

/// The properties of a message on which the throttle depends.
package struct MessageFacts: Sendable {
  package let id: Int64
  /// Unix milliseconds.
  package let createdAt: Int64
  /// `nil` for an admin message.
  package let authorID: String?

  package init(id: Int64, createdAt: Int64, authorID: String?) {
    self.id = id
    self.createdAt = createdAt
    self.authorID = authorID
  }

  init(_ message: Message) {
    self.init(id: message.id, createdAt: message.createdAt, authorID: message.user?.id)
  }
}
