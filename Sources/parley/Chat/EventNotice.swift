internal import ParleyClient

/// Events that are no messages, in words.
enum EventNotice {
  /// What happened in a channel; `nil` for messages and what needs no telling.
  static func text(_ event: OpenChannelEvent) -> String? {
    switch event {
    case .userEntered(let user): "\(user.userID) is here"
    case .userExited(let user): "\(user.userID) left"
    case .userMuted(let user, let details): "\(user.userID) was muted\(reason(details))"
    case .userUnmuted(let user): "\(user.userID) may speak again"
    case .userBanned(let user, let details): "\(user.userID) was banned\(reason(details))"
    case .userUnbanned(let user): "\(user.userID) is no longer banned"
    case .operatorsChanged(let users):
      "operators are \(users.map(\.userID).joined(separator: ", "))"
    case .participantCountChanged(let count): "\(count) are here"
    case .frozen: "the channel is frozen"
    case .unfrozen: "the channel is no longer frozen"
    case .changed: "the channel was changed"
    case .deleted: "the channel was deleted"
    case .eventsLost(let loss): "something was missed: \(text(loss))"
    case .dropped(let count): "\(count) events came too fast to be shown"
    case .recovered, .messageReceived, .messageUpdated, .messageDeleted, .messagesThrottled: nil
    }
  }

  /// What happened to the connection; `nil` for what needs no telling.
  static func text(_ event: ConnectionEvent) -> String? {
    switch event {
    case .connected: nil
    case .reconnecting(_, _, let reason): "\(reason); trying again"
    case .reconnected: "connected again"
    case .disconnected(let reason): "\(reason)"
    case .sessionExpiring: "the session's token expires soon"
    case .serverDraining: "the server is going away"
    }
  }

  private static func reason(_ details: RestrictionDetails) -> String {
    let length = details.seconds > 0 ? " for \(details.seconds) seconds" : ""
    return length + (details.description.isEmpty ? "" : ": \(details.description)")
  }

  private static func text(_ loss: EventLoss) -> String {
    switch loss {
    case .gap: "too much to be sent again"
    case .banned: "the user is banned"
    case .deleted: "the channel was deleted"
    case .refused(let error): error.message
    }
  }
}

/// When there is nothing more to come.
enum ConversationEnd {
  /// Why the conversation is over after an event; `nil` while it goes on.
  static func failure(for event: ParleyEvent, in channel: OpenChannel) -> CommandFailure? {
    switch event {
    case .connection(.disconnected(let reason)): failure(for: reason)
    case .channel(channel, .deleted): .refused("the channel was deleted", code: 0)
    case .channel(channel, .eventsLost(let loss)) where !loss.isInChannel:
      .refused("the channel can't be entered again", code: 0)
    case .channel(channel, .userBanned) where !channel.isEntered:
      .refused("the user was banned from the channel", code: 0)
    default: nil
    }
  }

  private static func failure(for reason: DisconnectionReason) -> CommandFailure {
    switch reason {
    case .unauthorized, .tooManySessions: .refused("\(reason)", code: 0)
    default: .unreachable("\(reason)")
    }
  }
}
