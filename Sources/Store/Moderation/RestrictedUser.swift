package import Channels
package import ParleyProtocol

/// A restriction with the user that it is put on.
package struct RestrictedUser: Sendable, Hashable {
  package var user: User
  package var restriction: Restriction
}

extension RestrictionKind {
  var table: String {
    switch self {
    case .ban: "bans"
    case .mute: "mutes"
    }
  }
}
