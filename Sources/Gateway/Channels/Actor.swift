import ParleyProtocol

/// Who asks for something over a session.
struct Caller: Sendable {
  let user: User
  let session: SessionReference
}

/// On whose authority something is done in a channel.
enum Actor: Sendable {
  /// A user, on one of its connections.
  case participant(Caller)
  /// The Platform API, on a user's behalf or on its own.
  case platform(onBehalfOf: User?)

  /// The user who is named as the author of what is done.
  var user: User? {
    switch self {
    case .participant(let caller): caller.user
    case .platform(let user): user
    }
  }

  /// The connection that learns of what is done by the answer alone.
  var session: SessionReference? {
    switch self {
    case .participant(let caller): caller.session
    case .platform: nil
    }
  }
}
