package import Channels
package import ParleyProtocol

/// A group in a list, with the part of the user who sees it.
package struct ListedGroup: Sendable {
  /// Without members and restrictions.
  package var state: ChannelState
  /// `nil` for a user who is no member, and in a list for nobody.
  package var own: OwnMembership?
  /// The same user as a member.
  package var viewer: Member?
  /// The newest message that the user may read; of a list for nobody, the newest of all.
  package var lastMessage: Message?
  /// Some members with their mutes: operators first, then those who joined last; none of a super group.
  package var members: [(member: Member, isMuted: Bool)]
  /// The deactivated users in the last message.
  package var deactivatedIDs: Set<String>
}

/// How the groups of a list are read.
struct GroupRowReading {
  /// The user as whom the groups are seen, if any.
  var viewerID: String?
  /// The number of members of each group.
  var memberLimit: Int
  /// Unix milliseconds.
  var time: Int64
}

/// Numbers of messages, for statements about `members`, `channels` and `groups`.
extension StoreStatement {
  /// The last message that a member counts as read.
  static let readUpTo: StoreStatement = .greater(
    .greater("members.read_ordinal", "members.floor_ordinal"), "groups.floor_ordinal")

  /// Whether a member sees the group in its list.
  static let isUnhidden: StoreStatement = """
    (members.hidden = 0 OR (members.hidden = 1 AND channels.last_ordinal > members.hidden_ordinal))
    """

  /// The number of messages that a joined member has not read.
  static let unreadCount: StoreStatement = """
    (channels.last_ordinal - \(readUpTo) - members.own_after
      - (SELECT count(*) FROM uncounted
        WHERE uncounted.channel_id = channels.channel_id AND uncounted.ordinal > \(readUpTo)))
    """
}

/// A user's part in a group of a list.
private struct OwnPart {
  var member: Member
  var inviter: User?
  var mutedUntil: Int64
  var unreadCount: Int64
  var unreadMentionCount: Int64
}

extension StoreTransaction {
  /// Groups of a list by the store's number of the channel.
  func listedGroups(
    _ ids: [Int64], _ reading: GroupRowReading
  ) throws -> [Int64: ListedGroup] {
    let parts = try reading.viewerID.map { try ownParts(of: $0, in: ids, at: reading.time) } ?? [:]
    var groups: [Int64: ListedGroup] = [:]
    for (id, state) in try groupStates(ids) {
      groups[id] = try listedGroup(state, parts[id], reading)
    }
    let authorIDs = Set(groups.values.flatMap { $0.lastMessage?.userIDs ?? [] })
    let deactivatedIDs = try deactivatedUsers(among: authorIDs)
    if !deactivatedIDs.isEmpty {
      for id in groups.keys { groups[id]?.deactivatedIDs = deactivatedIDs }
    }
    return groups
  }

  /// - Parameter part: The viewer's part; `nil` for a viewer who is no member.
  private func listedGroup(
    _ state: ChannelState, _ part: OwnPart?, _ reading: GroupRowReading
  ) throws -> ListedGroup {
    var group = ListedGroup(
      state: state, own: nil, viewer: part?.member, lastMessage: nil, members: [],
      deactivatedIDs: [])
    if let part {
      let userID = part.member.user.id
      group.own = OwnMembership(
        part.member, inviter: part.inviter,
        isOperator: state.channel.operators.contains { $0.id == userID },
        mutedUntil: part.mutedUntil, lastOrdinal: state.lastOrdinal, unreadCount: part.unreadCount,
        unreadMentionCount: part.unreadMentionCount)
    }
    let isForNobody = reading.viewerID == nil
    if isForNobody || part?.member.state == .joined {
      group.lastMessage = try lastMessage(
        inChannel: state.id, since: part?.member.visibleFrom ?? 0)
    }
    let namesMembers = state.channel.group?.isSuper == false
    if reading.memberLimit > 0, namesMembers, isForNobody || part != nil {
      group.members = try listedMembers(reading.memberLimit, ofChannel: state.id, at: reading.time)
    }
    return group
  }

  private func groupStates(_ ids: [Int64]) throws -> [Int64: ChannelState] {
    var states = try channelStates(ids)
    let groups = try connection.all(
      """
      SELECT channel_id, \(Group.columns) FROM groups WHERE channel_id \(.isAnyOf)
      """, [StoreValue.integers(ids)]
    ) { ($0[0] as Int64, Group(row: $0, from: 1)) }
    let creators = try users(Set(groups.compactMap(\.1.createdBy?.id)))
    for (id, group) in groups {
      var group = group
      group.createdBy = group.createdBy.flatMap { creators[$0.id] }
      states[id]?.channel.group = group
    }
    return states
  }

  private func ownParts(
    of userID: String, in ids: [Int64], at now: Int64
  ) throws -> [Int64: OwnPart] {
    let isCounting: StoreStatement =
      "members.state = \(MemberState.joined.stored) AND channels.is_ephemeral = 0"
    let found = try connection.all(
      """
      SELECT \(Member.columns), members.channel_id,
        CASE WHEN \(isCounting) THEN \(.unreadCount) ELSE 0 END,
        CASE WHEN \(isCounting) THEN \(.unreadMentionCount) ELSE 0 END,
        coalesce((SELECT ends_at FROM mutes WHERE mutes.channel_id = members.channel_id
          AND mutes.user_id = members.user_id AND ends_at > ?), 0)
      FROM members JOIN users ON users.user_id = members.user_id
      JOIN channels ON channels.channel_id = members.channel_id
      JOIN groups ON groups.channel_id = members.channel_id
      WHERE members.user_id = ? AND members.channel_id \(.isAnyOf)
      """, [now, userID, StoreValue.integers(ids)]
    ) { row in
      let part = OwnPart(
        member: try Member(row: row, connection.fileURL), inviter: nil,
        mutedUntil: row[Member.columnCount + 3], unreadCount: row[Member.columnCount + 1],
        unreadMentionCount: row[Member.columnCount + 2])
      return (row[Member.columnCount] as Int64, part)
    }
    let inviters = try users(Set(found.compactMap(\.1.member.inviterID)))
    return Dictionary(
      found.map { id, part in
        var part = part
        part.inviter = part.member.inviterID.flatMap { inviters[$0] }
        return (id, part)
      }
    ) { first, _ in first }
  }

  /// Some members: the operators in their order, then those who joined last.
  private func listedMembers(
    _ limit: Int, ofChannel id: Int64, at now: Int64
  ) throws -> [(member: Member, isMuted: Bool)] {
    let members = try sample(limit, ofMembersOf: id)
    let muted = try connection.all(
      "SELECT user_id FROM mutes WHERE channel_id = ? AND ends_at > ?", [id, now]
    ) { ExactText($0[0]) }
    let mutedIDs = Set(muted)
    return members.map { ($0, mutedIDs.contains(ExactText($0.user.id))) }
  }
}
