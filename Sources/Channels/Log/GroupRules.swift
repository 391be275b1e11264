package import ParleyProtocol

/// The rules for members that hold in all groups.
package struct GroupRules: Sendable, Hashable {
  /// The maximum number of members of a group, joined and invited.
  package var memberLimit = 100
  /// The maximum number of members of a super group, joined and invited.
  package var superMemberLimit = 10_000
  /// The maximum number of groups that a user may have joined.
  package var joinedLimit = 2_000
  /// The maximum number of open invitations of a user.
  package var invitedLimit = 500
  /// Whether users who have not chosen join as soon as they are invited.
  package var acceptsInvitations = true
  package var onlyOperatorsInvite = false
  /// Whether members who join later see the messages before.
  package var showsPastMessages = false
  /// The number of members of the largest group in which others learn how far each has read.
  package var receiptMemberLimit = 100
  /// Whether members of groups with receipts also learn how far the clients of others have received messages.
  package var hasDeliveries = false

  /// Whether a user may keep to itself how far it has read.
  package var allowsPrivateReads = false

  package init() {}

  /// Whether members of a group learn how far others have read.
  ///
  /// - Parameter memberCount: The number of its members, joined and invited.
  package func hasReceipts(in channel: Channel, with memberCount: Int) -> Bool {
    guard let group = channel.group, !group.isSuper, !channel.isEphemeral else { return false }
    return memberCount <= receiptMemberLimit
  }

  /// The history of a user who joins a group after its first messages, none of which are unread.
  ///
  /// - Parameters:
  ///   - time: ``Member/visibleFrom`` of a history that begins now.
  ///   - last: See ``OwnChangeFacts/last``.
  package func history(from time: Int64, after last: MessagePlace) -> NewHistory {
    guard showsPastMessages else {
      return NewHistory(visibleFrom: time, position: ReadPosition(floor: last.ordinal))
    }
    // The member may put its position back to any message, so its history has no floor.
    let position = ReadPosition(
      ordinal: last.ordinal, readAt: last.ordinal > 0 ? last.createdAt : 0)
    return NewHistory(visibleFrom: 0, position: position)
  }
}

/// The history of a user who joins a group.
package struct NewHistory: Sendable, Hashable {
  /// See ``Member/visibleFrom``.
  package var visibleFrom: Int64 = 0
  package var position = ReadPosition()

  package init(visibleFrom: Int64 = 0, position: ReadPosition = ReadPosition()) {
    self.visibleFrom = visibleFrom
    self.position = position
  }
}
