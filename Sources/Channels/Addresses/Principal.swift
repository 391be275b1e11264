package import ParleyProtocol

/// A user on one of its connections.
package struct SessionPrincipal: Sendable {
  package let user: User
  package let session: SessionAddress
  /// The connection as the app's back end sees it; `nil` unless the back end is asked about calls.
  package let hookSession: HookSession?

  package init(user: User, session: SessionAddress, hookSession: HookSession? = nil) {
    self.user = user
    self.session = session
    self.hookSession = hookSession
  }
}

/// The party on whose authority something is done in a channel.
package enum Principal: Sendable {
  case session(SessionPrincipal)
  /// The Platform API, on a user's behalf or on its own.
  case platform(onBehalfOf: User?)
  /// A user with a completed upload, on no connection: the server sends the message that the user
  /// requested, by the rules for the user except that of being in the channel.
  case background(User)

  /// The user who is named as the author.
  package var user: User? {
    switch self {
    case .session(let principal): principal.user
    case .platform(let user): user
    case .background(let user): user
    }
  }

  /// The user whose membership and role bind the principal; `nil` for the Platform API, which has an
  /// operator's rights whomever it acts for.
  package var boundUser: User? {
    switch self {
    case .session(let principal): principal.user
    case .platform: nil
    case .background(let user): user
    }
  }

  /// The connection as the app's back end sees it.
  package var hookSession: HookSession? {
    switch self {
    case .session(let principal): principal.hookSession
    case .platform, .background: nil
    }
  }

  /// The connection that receives the outcome only as the answer.
  package var session: SessionAddress? {
    switch self {
    case .session(let principal): principal.session
    case .platform, .background: nil
    }
  }
}
