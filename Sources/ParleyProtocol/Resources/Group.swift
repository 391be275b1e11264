/// The properties of a group channel, besides those of every channel.
package struct Group: Sendable, Hashable {
  /// Whether it is the channel of exactly its members; ends with the first change of them.
  package var isDistinct: Bool
  /// Whether users who are not members can find it and join.
  package var isPublic: Bool
  /// Whether it has room for many members, and does not name them; never changes.
  package var isSuper: Bool
  /// The text that a user gives to join a public group; empty if none is needed.
  package var accessCode: String
  /// The user who created it; `nil` for the Platform API and for a deleted user.
  package var createdBy: User?
  /// The number of members, joined and invited.
  package var memberCount: Int
  /// The number of joined members.
  package var joinedCount: Int
  /// In a group of exactly two, the members who block the other one; empty in every other group.
  ///
  /// Only the judge of the group knows them: they are part of no answer, event or message.
  package var blockerIDs: Set<String>

  package init(
    isDistinct: Bool = false, isPublic: Bool = false, isSuper: Bool = false,
    accessCode: String = "", createdBy: User? = nil, memberCount: Int = 0, joinedCount: Int = 0,
    blockerIDs: Set<String> = []
  ) {
    self.blockerIDs = blockerIDs
    self.isDistinct = isDistinct
    self.isPublic = isPublic
    self.isSuper = isSuper
    self.accessCode = accessCode
    self.createdBy = createdBy
    self.memberCount = memberCount
    self.joinedCount = joinedCount
  }

  /// Whether a change of the members is reported by their numbers only, without a number of its own, rather
  /// than by an event for each user.
  ///
  /// - Parameter newCount: The number of members after the change.
  package func reportsNumbersOnly(changingTo newCount: Int) -> Bool {
    isSuper || max(memberCount, newCount) > Limits.namedMemberCount
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
