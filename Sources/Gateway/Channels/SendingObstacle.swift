import Channels
import ParleyProtocol

/// What keeps a user from sending to a channel, whatever the message; in the order of the checks.
enum SendingObstacle: CaseIterable, Sendable {
  case banned
  case absent
  case frozen
  case muted

  /// Whether it is looked at for an actor: the Platform API is held by bans alone.
  func holds(_ actor: Principal) -> Bool {
    switch actor {
    case .session: true
    case .platform: self == .banned
    }
  }

  /// What the sender is told.
  func refusal(inChannel url: String) -> ServiceError {
    switch self {
    case .banned: .banned(url)
    case .absent: .notInChannel(url)
    case .frozen: .frozen(url)
    case .muted: .muted(url)
    }
  }
}
