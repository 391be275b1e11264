internal import ParleyClient

/// Formats events other than messages as text.
enum EventNotice {
  /// Returns the text for an event about the participants of an open channel; `nil` for others.
  static func text(_ event: OpenChannelEvent) -> String? {
    switch event {
    case .userEntered(let user): "\(user.userID) entered"
    case .userExited(let user): "\(user.userID) left"
    case .participantCountChanged(let count): "\(count) participants"
    case .messageReceived, .messageUpdated, .messageDeleted, .messagesThrottled, .changed, .frozen,
      .unfrozen, .deleted, .operatorsChanged, .userMuted, .userUnmuted, .userBanned, .userUnbanned,
      .recovered, .eventsLost, .dropped:
      nil
    }
  }

  /// Returns the text for an event that groups have; `nil` for messages and events that are not shown.
  static func text(_ event: GroupChannelEvent) -> String? {
    switch event {
    case .invitationReceived(let users, let inviter):
      "\(users.map(\.userID).joined(separator: ", ")) invited"
        + (inviter.map { " by \($0.userID)" } ?? "")
    case .invitationDeclined(let user): "\(user.userID) declined the invitation"
    case .userJoined(let user): "\(user.userID) joined"
    case .userLeft(let user, let end): "\(user.userID) \(text(end))"
    case .userMuted(let user, let details): "\(user.userID) was muted\(reason(details))"
    case .userUnmuted(let user): "\(user.userID) is no longer muted"
    case .userBanned(let user, let details): "\(user.userID) was banned\(reason(details))"
    case .userUnbanned(let user): "\(user.userID) is no longer banned"
    case .operatorsChanged(let users):
      "operators are \(users.map(\.userID).joined(separator: ", "))"
    case .frozen: "the channel is frozen"
    case .unfrozen: "the channel is no longer frozen"
    case .changed: "the channel was changed"
    case .deleted: "the channel was deleted"
    case .eventsLost(let loss): "events were lost: \(text(loss))"
    case .dropped(let count):
      "\(count) events were dropped: they arrived faster than they could be printed"
    case .recovered, .messageReceived, .messageUpdated, .messageDeleted, .messagesThrottled,
      .memberCountChanged, .membershipEnded, .unreadMessageCountChanged, .hidden, .unhidden,
      .readStatusChanged, .deliveryStatusChanged, .typingStatusChanged:
      nil
    }
  }

  /// Returns the words after the user whose membership ended.
  static func text(_ end: MembershipEnd) -> String {
    switch end {
    case .left: "left"
    case .declined: "declined the invitation"
    case .removed: "was removed"
    case .banned: "left because of the ban"
    case .userDeleted: "was deleted"
    case .channelDeleted: "left because the group was deleted"
    }
  }

  /// Returns the text for an event of the connection; `nil` for events that are not shown.
  static func text(_ event: ConnectionEvent) -> String? {
    switch event {
    case .connected, .fileKeyRenewed, .disconnected(because: .requested): nil
    case .reconnecting(_, _, let reason): "\(reason); reconnecting"
    case .reconnected: "reconnected"
    case .disconnected(let reason): "\(reason)"
    case .sessionExpiring: "the session's token expires soon"
    case .serverDraining: "the server is shutting down"
    }
  }

  private static func reason(_ details: RestrictionDetails) -> String {
    let length = details.seconds > 0 ? " for \(details.seconds) seconds" : ""
    return length + (details.description.isEmpty ? "" : ": \(details.description)")
  }

  private static func text(_ loss: EventLoss) -> String {
    switch loss {
    case .gap: "more events were missed than the server can send again"
    case .banned: "the user is banned"
    case .deleted: "the channel was deleted"
    case .refused(let error): error.message
    }
  }
}

/// Detects the end of a conversation.
enum ConversationEnd {
  /// Returns the reason why an event ends the conversation; `nil` if it does not.
  static func failure(for event: ParleyEvent) -> CommandFailure? {
    switch event {
    case .connection(.disconnected(let reason)): failure(for: reason)
    case .channel(_, .deleted), .group(_, .membershipEnded(.channelDeleted)):
      .refused("the channel was deleted", code: 0)
    case .channel(_, .eventsLost(let loss)) where !loss.isInChannel,
      .group(_, .eventsLost(let loss)) where !loss.isInChannel:
      .refused("the channel cannot be entered again", code: 0)
    case .channel(let channel, .userBanned) where !channel.isEntered:
      .refused("the user was banned from the channel", code: 0)
    case .group(_, .membershipEnded(let end)):
      .refused("the membership ended: the user \(EventNotice.text(end))", code: 0)
    case .connection, .channel, .group, .mentioned, .unreadTotalsChanged, .dropped: nil
    }
  }

  private static func failure(for reason: DisconnectionReason) -> CommandFailure {
    switch reason {
    case .unauthorized, .tooManySessions: .refused("\(reason)", code: 0)
    case .requested, .protocolViolation, .serverDraining, .serverUnavailable, .tooSlow,
      .unreachable, .lost:
      .unreachable("\(reason)")
    }
  }
}
