/// The rights of a token of the Platform API.
package enum APITokenRole: String, Sendable, CaseIterable {
  /// All calls.
  case admin
  /// Calls that read, and those that moderate: see the table in the pages about the Platform API.
  case moderator
  /// Calls that only read.
  case viewer

  /// The role of a stored token; a role that this version does not know has the fewest rights.
  init(stored name: String) {
    self = Self(rawValue: name) ?? .viewer
  }

  /// Whether a token of this role has all rights of another role.
  package func includes(_ other: APITokenRole) -> Bool { rank >= other.rank }

  /// The position among roles, each of which has all rights of those below it.
  private var rank: Int {
    switch self {
    case .admin: 2
    case .moderator: 1
    case .viewer: 0
    }
  }
}
