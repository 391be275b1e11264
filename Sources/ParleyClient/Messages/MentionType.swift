internal import ParleyProtocol

/// The target of a mention.
public enum MentionType: Sendable, Hashable {
  /// The listed users.
  case users
  /// Everyone in the channel.
  case channel

  init(_ type: ParleyProtocol.MentionType) {
    self =
      switch type {
      case .users: .users
      case .channel: .channel
      }
  }

  /// The name on the wire.
  var wireName: String {
    switch self {
    case .users: "users"
    case .channel: "channel"
    }
  }
}

/// Whether absent users are notified of a message.
public enum PushNotificationDeliveryOption: String, Sendable, Hashable {
  /// As configured by the recipients.
  case `default`
  /// No notification for this message.
  case suppress
}
