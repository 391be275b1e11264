/// The choice of a user whether it joins a group as soon as it is invited, as a number.
enum InvitationChoice: Int {
  case declines = 0
  /// The user has not chosen: ``GroupRules/acceptsInvitations`` decides.
  case none = 1
  case accepts = 2

  /// - Parameter stored: Another number counts as no choice.
  init(stored: Int) { self = Self(rawValue: stored) ?? .none }

  init(accepts: Bool) { self = accepts ? .accepts : .declines }

  /// `nil` for a user who has not chosen.
  var isAcceptance: Bool? {
    switch self {
    case .declines: false
    case .none: nil
    case .accepts: true
    }
  }
}

/// Reads whether a user joins a group as soon as it is invited; `nil` if the user has not chosen.
///
/// Error: `noUser`.
package struct InvitationPreference: StoreLookup {
  package var userID: String

  package init(of userID: String) { self.userID = userID }

  package var statements: ReadStatements<Bool?> {
    .init { transaction in
      let found = try transaction.connection.first(
        "SELECT accepts_invitations FROM users WHERE user_id = ?", [userID]
      ) { InvitationChoice(stored: $0[0]) }
      guard let found else { throw StoreError.noUser(userID) }
      return found.isAcceptance
    }
  }
}

/// Sets whether a user joins a group as soon as it is invited; invitations that are open stay open.
///
/// Error: `noUser`.
package struct InvitationPreferenceChange: StoreWrite {
  package var userID: String
  package var acceptsInvitations: Bool

  package init(of userID: String, acceptsInvitations: Bool) {
    self.userID = userID
    self.acceptsInvitations = acceptsInvitations
  }

  package var statements: WriteStatements<Void> {
    .init { transaction in
      let count = try transaction.connection.change(
        "UPDATE users SET accepts_invitations = ? WHERE user_id = ?",
        [InvitationChoice(accepts: acceptsInvitations).rawValue, userID])
      guard count > 0 else { throw StoreError.noUser(userID) }
    }
  }
}
