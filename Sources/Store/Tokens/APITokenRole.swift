/// The rights of a token of the Platform API.
package enum APITokenRole: String, Sendable, CaseIterable {
  /// All calls.
  case admin
  /// Calls that only read.
  case viewer

  /// The role of a stored token; a role that this version does not know has the fewest rights.
  init(stored name: String) {
    self = Self(rawValue: name) ?? .viewer
  }

  /// Whether a token of this role has all rights of another role.
  package func includes(_ other: APITokenRole) -> Bool {
    switch (self, other) {
    case (.admin, _), (.viewer, .viewer): true
    case (.viewer, .admin): false
    }
  }
}
