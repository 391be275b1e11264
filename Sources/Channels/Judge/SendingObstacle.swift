import ParleyProtocol

/// A reason that keeps a user from sending to a channel, whatever the message; in the order of the
/// checks.
enum SendingObstacle: CaseIterable, Sendable {
  case banned
  case absent
  case frozen
  case muted

  /// Whether it is looked at for a principal: the Platform API is held by bans alone.
  func holds(_ principal: Principal) -> Bool {
    switch principal {
    case .session: true
    case .platform: self == .banned
    }
  }

  /// The error that answers the sender.
  func refusal(inChannel url: String) -> ServiceError {
    switch self {
    case .banned: .banned(url)
    case .absent: .notInChannel(url)
    case .frozen: .frozen(url)
    case .muted: .muted(url)
    }
  }
}
