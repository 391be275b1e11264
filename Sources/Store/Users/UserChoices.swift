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

/// The choices of a user about groups.
package struct UserChoices: Sendable, Hashable {
  /// Whether the user joins a group as soon as it is invited; `nil` if the user has not chosen.
  package var acceptsInvitations: Bool?
  /// Whether the user keeps to itself how far it has read.
  package var hidesReads: Bool
}

/// Reads the choices of a user.
///
/// Error: `noUser`.
package struct UserChoicesLookup: StoreLookup {
  package var userID: String

  package init(of userID: String) { self.userID = userID }

  package var statements: ReadStatements<UserChoices> {
    .init { try $0.choices(ofUser: userID) }
  }
}

/// Changes the choices of a user; invitations that are open stay open.
///
/// Outcome: the choices after the change. Error: `noUser`.
package struct UserChoicesChange: StoreWrite {
  package var userID: String
  /// `nil` leaves the choice as it is, as the next one.
  package var acceptsInvitations: Bool?
  package var hidesReads: Bool?

  package init(
    of userID: String, acceptsInvitations: Bool? = nil, hidesReads: Bool? = nil
  ) {
    self.userID = userID
    self.acceptsInvitations = acceptsInvitations
    self.hidesReads = hidesReads
  }

  package var statements: WriteStatements<UserChoices> {
    .init { transaction in
      try transaction.connection.execute(
        """
        UPDATE users SET accepts_invitations = coalesce(?, accepts_invitations),
          hides_reads = coalesce(?, hides_reads)
        WHERE user_id = ?
        """,
        [
          acceptsInvitations.map { InvitationChoice(accepts: $0).rawValue }, hidesReads, userID,
        ])
      return try transaction.choices(ofUser: userID)
    }
  }
}

extension StoreTransaction {
  fileprivate func choices(ofUser id: String) throws -> UserChoices {
    let found = try connection.first(
      "SELECT accepts_invitations, hides_reads FROM users WHERE user_id = ?", [id]
    ) {
      UserChoices(
        acceptsInvitations: InvitationChoice(stored: $0[0]).isAcceptance, hidesReads: $0[1])
    }
    guard let found else { throw StoreError.noUser(id) }
    return found
  }
}
