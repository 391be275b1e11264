internal import ParleyClient

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
