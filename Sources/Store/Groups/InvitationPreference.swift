/// Reads whether a user joins a group as soon as it is invited.
///
/// Error: `noUser`.
package struct InvitationPreference: StoreLookup {
  package var userID: String

  package init(of userID: String) { self.userID = userID }

  package var statements: ReadStatements<Bool> {
    .init { transaction in
      let found = try transaction.connection.first(
        "SELECT accepts_invitations FROM users WHERE user_id = ?", [userID]
      ) { $0[0] as Bool }
      guard let found else { throw StoreError.noUser(userID) }
      return found
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
        "UPDATE users SET accepts_invitations = ? WHERE user_id = ?", [acceptsInvitations, userID])
      guard count > 0 else { throw StoreError.noUser(userID) }
    }
  }
}
