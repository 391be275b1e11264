/// The properties of a group channel, besides those of every channel.
package struct Group: Sendable, Hashable {
  /// Whether it is the channel of exactly its members; ends with the first change of them.
  package var isDistinct: Bool
  /// Whether users who are not members can find it and join.
  package var isPublic: Bool
  /// The text that a user gives to join a public group; empty if none is needed.
  package var accessCode: String
  /// The user who created it; `nil` for the Platform API and for a deleted user.
  package var createdBy: User?
  /// The number of members, joined and invited.
  package var memberCount: Int
  /// The number of joined members.
  package var joinedCount: Int

  package init(
    isDistinct: Bool = false, isPublic: Bool = false, accessCode: String = "",
    createdBy: User? = nil, memberCount: Int = 0, joinedCount: Int = 0
  ) {
    self.isDistinct = isDistinct
    self.isPublic = isPublic
    self.accessCode = accessCode
    self.createdBy = createdBy
    self.memberCount = memberCount
    self.joinedCount = joinedCount
  }
}

/// Whether a member of a group takes part in it.
package enum MemberState: String, Sendable, CaseIterable {
  case invited
  case joined
}

/// A user who belongs to a group, present or not.
package struct Member: Sendable, Hashable {
  package var user: User
  package var state: MemberState
  /// The user who invited the member; `nil` for the Platform API, and for a user who joined.
  package var inviterID: String?
  /// Unix milliseconds; 0 for a user who was not invited.
  package var invitedAt: Int64
  /// Unix milliseconds; 0 for an invited member.
  package var joinedAt: Int64
  /// The `created_at` of the oldest message that the member may read, in Unix milliseconds.
  package var visibleFrom: Int64

  package init(
    user: User, state: MemberState, inviterID: String? = nil, invitedAt: Int64 = 0,
    joinedAt: Int64 = 0, visibleFrom: Int64 = 0
  ) {
    self.user = user
    self.state = state
    self.inviterID = inviterID
    self.invitedAt = invitedAt
    self.joinedAt = joinedAt
    self.visibleFrom = visibleFrom
  }
}

/// Why a member left a group.
package enum DepartureReason: String, Sendable, CaseIterable {
  case left
  case declined
  case removed
  case banned
  /// The user was deleted.
  case deletedUser = "deleted_user"
  /// The channel was deleted.
  case deleted
}
