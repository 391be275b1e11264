internal import ParleyClient

/// Formats events other than messages as text.
enum EventNotice {
  /// Returns the text for an event in a channel; `nil` for messages and events that are not shown.
  static func text(_ event: OpenChannelEvent) -> String? {
    switch event {
    case .userEntered(let user): "\(user.userID) entered"
    case .userExited(let user): "\(user.userID) left"
    case .userMuted(let user, let details): "\(user.userID) was muted\(reason(details))"
    case .userUnmuted(let user): "\(user.userID) is no longer muted"
    case .userBanned(let user, let details): "\(user.userID) was banned\(reason(details))"
    case .userUnbanned(let user): "\(user.userID) is no longer banned"
    case .operatorsChanged(let users):
      "operators are \(users.map(\.userID).joined(separator: ", "))"
    case .participantCountChanged(let count): "\(count) participants"
    case .frozen: "the channel is frozen"
    case .unfrozen: "the channel is no longer frozen"
    case .changed: "the channel was changed"
    case .deleted: "the channel was deleted"
    case .eventsLost(let loss): "events were lost: \(text(loss))"
    case .dropped(let count):
      "\(count) events were dropped: they arrived faster than they could be printed"
    case .recovered, .messageReceived, .messageUpdated, .messageDeleted, .messagesThrottled: nil
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
  static func failure(for event: ParleyEvent, in channel: OpenChannel) -> CommandFailure? {
    switch event {
    case .connection(.disconnected(let reason)): failure(for: reason)
    case .channel(channel, .deleted): .refused("the channel was deleted", code: 0)
    case .channel(channel, .eventsLost(let loss)) where !loss.isInChannel:
      .refused("the channel cannot be entered again", code: 0)
    case .channel(channel, .userBanned) where !channel.isEntered:
      .refused("the user was banned from the channel", code: 0)
    case .connection, .channel, .group, .mentioned, .dropped: nil
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
