import Channels
import ParleyProtocol

/// A user who is to become a member of a group.
struct Invitee {
  var user: User
  /// Whether the user joins at once.
  var acceptsInvitations: Bool
  /// Whether the user blocks the inviter.
  var blocksInviter: Bool
}

/// Users who become members of a group together.
struct Invitation {
  /// The new members.
  private(set) var members: [Member]
  /// `nil` for the Platform API.
  let inviter: User?
  /// Unix milliseconds.
  let time: Int64

  /// - Parameter history: The history of those who join at once.
  init(of invitees: [Invitee], by inviter: User?, history: NewHistory, at time: Int64) {
    members = invitees.map { invitee in
      let joins = invitee.acceptsInvitations
      return Member(
        user: invitee.user, state: joins ? .joined : .invited, inviterID: inviter?.id,
        invitedAt: time, joinedAt: joins ? time : 0,
        visibleFrom: joins ? history.visibleFrom : 0,
        position: joins ? history.position : ReadPosition(), blocksInviter: invitee.blocksInviter)
    }
    self.inviter = inviter
    self.time = time
  }

  /// The same users in the order of the members of a group.
  var inOrderOfIDs: Invitation {
    var ordered = self
    ordered.members.sort { $0.user.id.utf8.lexicographicallyPrecedes($1.user.id.utf8) }
    return ordered
  }
}

extension Member {
  /// A user who joins a group without an invitation.
  init(_ user: User, joinedAt: Int64, history: NewHistory = NewHistory()) {
    self.init(
      user: user, state: .joined, joinedAt: joinedAt, visibleFrom: history.visibleFrom,
      position: history.position)
  }
}

extension WriteTransaction {
  /// The users to invite, each once, in the order given, without those who have too many invitations.
  ///
  /// One who blocks the inviter does not join.
  ///
  /// - Throws: `StoreError.noUser` or `LogError.deactivated`.
  func invitees(
    _ ids: [String], by inviter: User?, under rules: GroupRules
  ) throws -> [Invitee] {
    let users = try activeUsers(ids)
    let blockers = try inviter.map { try self.blockers(of: $0.id, among: ids) } ?? []
    let accepting = users.filter {
      !blockers.contains(ExactText($0.user.id))
        && ($0.choice.isAcceptance ?? rules.acceptsInvitations)
    }
    let full = try usersWithoutRoom(
      accepting.map(\.user.id), in: .joined, limit: rules.joinedLimit)
    let joining = Set(accepting.map { ExactText($0.user.id) }).subtracting(full)
    let asked = users.map(\.user.id).filter { !joining.contains(ExactText($0)) }
    let skipped = try usersWithoutRoom(asked, in: .invited, limit: rules.invitedLimit)
    return users.map(\.user).filter { !skipped.contains(ExactText($0.id)) }.map {
      let key = ExactText($0.id)
      return Invitee(
        user: $0, acceptsInvitations: joining.contains(key), blocksInviter: blockers.contains(key))
    }
  }

  /// Active users with their choices, each once, in the order given.
  ///
  /// They cannot be deleted before the transaction ends, so that the numbers of members stay right.
  ///
  /// - Throws: `StoreError.noUser` or `LogError.deactivated`.
  func activeUsers(_ ids: [String]) throws -> [(user: User, choice: InvitationChoice)] {
    guard !ids.isEmpty else { return [] }
    let found = try connection.all(
      """
      SELECT \(User.columns), is_active, accepts_invitations FROM users
      WHERE user_id \(.isAnyOf) \(.keepingKey)
      """, [StoreValue.texts(ids)]
    ) { row in
      (
        user: try User(row: row, connection.fileURL), isActive: row[4] as Bool,
        choice: InvitationChoice(stored: row[5])
      )
    }
    let known = Dictionary(found.map { (ExactText($0.user.id), $0) }) { first, _ in first }
    var seen: Set<ExactText> = []
    return try ids.filter { seen.insert(ExactText($0)).inserted }.map { id in
      guard let user = known[ExactText(id)] else { throw StoreError.noUser(id) }
      guard user.isActive else { throw LogError.deactivated(id) }
      return (user.user, user.choice)
    }
  }

  /// New members with what they have chosen for all groups.
  func withChoices(_ members: [RecordedMember]) throws -> [RecordedMember] {
    guard !members.isEmpty else { return [] }
    let hiding = try connection.all(
      "SELECT user_id FROM users WHERE user_id \(.isAnyOf) AND hides_reads = 1",
      [StoreValue.texts(members.map(\.member.user.id))]
    ) { ExactText($0[0]) }
    return members.map { record in
      var member = record.member
      member.hidesReads = hiding.contains(ExactText(member.user.id))
      return RecordedMember(member, seq: record.seq)
    }
  }

  /// The given users who are in as many groups in a state as they may.
  func usersWithoutRoom(
    _ ids: [String], in state: MemberState, limit: Int
  ) throws -> Set<ExactText> {
    guard !ids.isEmpty else { return [] }
    let full = try connection.all(
      """
      SELECT user_id FROM members \(.index("members_by_user"))
      WHERE user_id \(.isAnyOf) AND state = ? AND NOT EXISTS (
        SELECT 1 FROM orphaned_channels AS o WHERE o.channel_id = members.channel_id)
      GROUP BY user_id HAVING count(*) >= ?
      """, [StoreValue.texts(ids), state.stored, limit]
    ) { ExactText($0[0]) }
    return Set(full)
  }

  /// Inserts the new members.
  func insertMembers(of invitation: Invitation, channelID: Int64) throws {
    for state in MemberState.allCases {
      let members = invitation.members.filter { $0.state == state }
      guard let first = members.first else { continue }
      try insert(members.map(\.user.id), as: first, at: invitation.time, channelID: channelID)
    }
  }

  /// Inserts a member who was not invited.
  func insertMember(_ member: Member, channelID: Int64) throws {
    try insert([member.user.id], as: member, at: member.joinedAt, channelID: channelID)
  }

  /// - Parameter member: The values that the rows share.
  private func insert(
    _ ids: [String], as member: Member, at time: Int64, channelID: Int64
  ) throws {
    try connection.execute(
      """
      INSERT INTO members (channel_id, user_id, state, inviter_id, invited_at, joined_at, added_at,
        visible_from, read_ordinal, read_at, floor_ordinal, changed_at)
      SELECT ?, user_id, ?, ?, ?, ?, ?, ?, ?, ?, ?, \(.nextChange) FROM users
      WHERE user_id \(.isAnyOf)
      """,
      [
        channelID, member.state.stored, member.inviterID, member.invitedAt, member.joinedAt, time,
        member.visibleFrom, member.position.ordinal, member.position.readAt,
        member.position.floor, StoreValue.texts(ids),
      ])
  }

  /// Records `group.invited` with all who are invited, then `group.joined` for each who joins.
  ///
  /// - Parameters:
  ///   - state: The group with the new members.
  ///   - former: The group before.
  /// - Returns: The new members in their order.
  func record(
    _ invitation: Invitation, to state: ChannelState, from former: Group
  ) throws -> [RecordedMember] {
    let (members, channel) = (invitation.members, state.channel)
    guard let group = channel.group, !members.isEmpty else { return [] }
    let invited = members.filter { $0.state == .invited }
    let joined = members.filter { $0.state == .joined }
    var (memberCount, joinedCount) = (
      group.memberCount - joined.count, group.joinedCount - joined.count
    )
    var events: [Event] = []
    if !invited.isEmpty {
      events.append(
        .groupInvited(
          Event.Invitation(by: invitation.inviter, of: invited.map(\.user), to: info(channel))))
    }
    for member in joined {
      memberCount += 1
      joinedCount += 1
      events.append(
        .groupJoined(
          Event.Membership(
            of: member.user, memberCount: memberCount, joinedCount: joinedCount)))
    }
    return members.recordedInvitation(
      from: try recordChange(events, from: former, to: state, at: invitation.time))
  }
}
