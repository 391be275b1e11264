/// An event in a group that the current user has joined, or is invited to.
///
/// The client learns of its own messages and edits from the results of its calls: they cause no events.
public enum GroupChannelEvent: Sendable {
  /// A message was sent.
  case messageReceived(any BaseMessage)
  /// A message was changed, or its preview arrived. The client may never have received this message.
  case messageUpdated(any BaseMessage)
  /// The message of this id was deleted.
  case messageDeleted(messageID: Int64)
  /// Messages were withheld because the group is too busy; they can be fetched.
  case messagesThrottled(ThrottledMessages)
  /// The group's name, cover, data or type changed; the ``GroupChannel`` has the new values.
  case changed
  /// Only operators may send from now on.
  case frozen
  /// Everyone may send again.
  case unfrozen
  /// The group was deleted; ``membershipEnded(_:)`` follows.
  case deleted
  /// The operators of the group changed.
  case operatorsChanged([User])
  /// Users were invited, among them perhaps the current user. The inviter is `nil` for the Platform API.
  case invitationReceived([User], inviter: User?)
  /// An invited user declined.
  case invitationDeclined(User)
  /// A user joined.
  case userJoined(User)
  /// A joined member is no longer one.
  case userLeft(User, MembershipEnd)
  /// The numbers of members of a large group changed.
  ///
  /// It replaces the events about single users, except for those about the current user.
  case memberCountChanged
  /// The current user is no longer a member; no event of the group follows.
  case membershipEnded(MembershipEnd)
  /// The user has marked messages as read or unread elsewhere, reset its history or changed its
  /// ``GroupChannel/myCountPreference``. Messages that arrive change
  /// ``GroupChannel/unreadMessageCount`` without this event.
  case unreadMessageCountChanged
  /// The user has hidden the group elsewhere.
  case hidden
  /// The group is shown again: the user has done so elsewhere, or a message has arrived.
  case unhidden
  /// Members have read further: see ``GroupChannel/getReadStatus(includeAllMembers:)``. Messages of
  /// members change it without this event.
  case readStatusChanged
  /// Clients of members have received further messages: see ``GroupChannel/getUndeliveredMemberCount(_:)``.
  /// Messages of members change it without this event.
  case deliveryStatusChanged
  /// Other members begin or end typing: see ``GroupChannel/getTypingUsers()``.
  case typingStatusChanged
  /// A user was muted and may no longer send.
  case userMuted(User, RestrictionDetails)
  /// A user may send again.
  case userUnmuted(User)
  /// A user was banned.
  case userBanned(User, RestrictionDetails)
  /// A user may join again.
  case userUnbanned(User)
  /// After a lost connection, the group was read again, and nothing was missed: this number of events
  /// happened in between and was delivered before this event.
  case recovered(eventCount: Int)
  /// After a lost connection, events are missing; the value has the reason.
  case eventsLost(EventLoss)
  /// The number of events dropped from the full buffer of this consumer, which did not keep up.
  case dropped(count: Int)
}

extension GroupChannelEvent {
  /// Converts an event that both kinds of channels have; `nil` for the presence of participants.
  package init?(_ event: OpenChannelEvent) {
    switch event {
    case .messageReceived(let message): self = .messageReceived(message)
    case .messageUpdated(let message): self = .messageUpdated(message)
    case .messageDeleted(let id): self = .messageDeleted(messageID: id)
    case .messagesThrottled(let messages): self = .messagesThrottled(messages)
    case .changed: self = .changed
    case .frozen: self = .frozen
    case .unfrozen: self = .unfrozen
    case .deleted: self = .deleted
    case .operatorsChanged(let users): self = .operatorsChanged(users)
    case .userMuted(let user, let details): self = .userMuted(user, details)
    case .userUnmuted(let user): self = .userUnmuted(user)
    case .userBanned(let user, let details): self = .userBanned(user, details)
    case .userUnbanned(let user): self = .userUnbanned(user)
    case .recovered(let count): self = .recovered(eventCount: count)
    case .eventsLost(let loss): self = .eventsLost(loss)
    case .dropped(let count): self = .dropped(count: count)
    case .userEntered, .userExited, .participantCountChanged: return nil
    }
  }
}
