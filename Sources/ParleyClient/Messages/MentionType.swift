internal import ParleyProtocol

/// The target of a mention.
public enum MentionType: Sendable, Hashable {
  /// The users it names.
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

/// Whether those who are away are to be notified of a message.
public enum PushNotificationDeliveryOption: String, Sendable, Hashable {
  /// As the recipients wish.
  case `default`
  /// Not for this message.
  case suppress
}
