/// The settings of group channels.
package struct GroupSettings: Sendable, Equatable {
  /// Members of a group, joined and invited.
  package var maxMembers = 100
  /// Members of a super group, joined and invited.
  package var maxSuperMembers = 10_000
  /// Groups that a user may have joined.
  package var maxJoined = 2_000
  /// Open invitations of a user.
  package var maxInvited = 500
  /// Users that a user may add or invite; 0 means no limit.
  package var invitesPerMinute = 100
  /// Groups that a user may create; 0 means no limit.
  package var createdPerMinute = 10
  /// Whether users who have not chosen join a group as soon as they are invited.
  package var autoAccept = true
  package var inviteBy = GroupInviters.members
  /// Whether members who join later see the messages before.
  package var displaysPastMessages = false
  /// Members of the largest group in which others learn how far each has read; 0 for none.
  package var receiptMemberLimit = 100
  /// Whether members of groups with receipts also learn how far the clients of others have received messages.
  package var hasDeliveryReceipts = false
  /// Milliseconds between events about the numbers over all groups of a user.
  package var totalsMilliseconds = 2_000
  /// Whether a user may keep to itself how far it has read.
  package var allowsPrivateReads = false
  /// Days after which a group without members is deleted; 0 means never.
  package var deleteEmptyAfterDays = 0
}

/// The users who may invite others to a group.
package enum GroupInviters: String, Sendable, CaseIterable {
  /// All joined members.
  case members
  /// Operators only.
  case operators
}
