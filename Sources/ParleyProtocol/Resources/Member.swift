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
  package var position: ReadPosition
  package var hiding: Hiding
  package var countPreference: CountPreference
  package var pushTrigger = ChannelPushTriggerOption.default
  /// Whether an invited user blocks the inviter, and receives no notice of the invitation.
  package var blocksInviter: Bool
  /// The `created_at` of the last message that a client of the member has received, in Unix milliseconds; 0 if
  /// there is none.
  ///
  /// Reading counts as receiving without raising it, so it may be lower than the time of the position.
  package var deliveredAt: Int64 = 0
  /// Whether the user keeps to itself how far it has read, where that is permitted.
  package var hidesReads = false
  /// The time at which the user was last seen when the member was read, in Unix milliseconds; 0 if that is
  /// unknown.
  package var lastSeenAt: Int64

  package init(
    user: User, state: MemberState, inviterID: String? = nil, invitedAt: Int64 = 0,
    joinedAt: Int64 = 0, visibleFrom: Int64 = 0, position: ReadPosition = ReadPosition(),
    hiding: Hiding = .unhidden, countPreference: CountPreference = .all,
    blocksInviter: Bool = false, lastSeenAt: Int64 = 0
  ) {
    self.blocksInviter = blocksInviter
    self.user = user
    self.state = state
    self.inviterID = inviterID
    self.invitedAt = invitedAt
    self.joinedAt = joinedAt
    self.visibleFrom = visibleFrom
    self.position = position
    self.hiding = hiding
    self.countPreference = countPreference
    self.lastSeenAt = lastSeenAt
  }
}

/// How far a member has read a group, in ordinals of messages.
package struct ReadPosition: Sendable, Hashable {
  /// The last message that the member has read; 0 if there is none.
  package var ordinal: Int64
  /// The `created_at` of that message, in Unix milliseconds.
  package var readAt: Int64
  /// The last message before the history of the member.
  package var floor: Int64
  /// The number of the member's own messages after ``ordinal``.
  package var ownAfter: Int64

  package init(ordinal: Int64 = 0, readAt: Int64 = 0, floor: Int64 = 0, ownAfter: Int64 = 0) {
    self.ordinal = ordinal
    self.readAt = readAt
    self.floor = floor
    self.ownAfter = ownAfter
  }

  /// Reads up to the member's own message.
  ///
  /// - Parameter createdAt: Unix milliseconds.
  package mutating func advance(to ordinal: Int64, at createdAt: Int64) {
    self.ordinal = ordinal
    readAt = createdAt
    ownAfter = 0
  }

  /// Notes that a message of the member was deleted.
  package mutating func forgetOwn(_ ordinal: Int64) {
    if ownAfter > 0, ordinal > max(self.ordinal, floor) { ownAfter -= 1 }
  }
}

/// Whether a member sees a group in its list of groups.
package enum Hiding: Sendable, Hashable {
  case unhidden
  /// Hidden until a message with a higher ordinal than this arrives.
  case untilMessage(after: Int64)
  /// Hidden until the member unhides it.
  case archived

  /// Whether the group is hidden.
  ///
  /// - Parameter lastOrdinal: The last message of the group.
  package func isInForce(lastOrdinal: Int64) -> Bool {
    switch self {
    case .unhidden: false
    case .untilMessage(let ordinal): lastOrdinal <= ordinal
    case .archived: true
    }
  }

  /// Keeps a group hidden until a message after one that does not show it again.
  package mutating func stay(afterMessage ordinal: Int64) {
    guard case .untilMessage(let last) = self, isInForce(lastOrdinal: ordinal - 1) else { return }
    self = .untilMessage(after: max(last, ordinal))
  }

  /// The state as shown to the member.
  package func state(lastOrdinal: Int64) -> HiddenState {
    guard isInForce(lastOrdinal: lastOrdinal) else { return .unhidden }
    return self == .archived ? .hiddenPreventAutoUnhide : .hiddenAllowAutoUnhide
  }
}

/// The numbers of unread messages that a member wants to know.
package enum CountPreference: String, Sendable, CaseIterable {
  case all
  case messagesOnly = "unread_message_count_only"
  case mentionsOnly = "unread_mention_count_only"
  case off

  package var countsMessages: Bool { self == .all || self == .messagesOnly }
  package var countsMentions: Bool { self == .all || self == .mentionsOnly }
}
