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
