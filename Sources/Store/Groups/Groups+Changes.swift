import Channels
import ParleyProtocol

/// Changes of the members of a group; an open channel has none, so nothing changes there.
extension WriteTransaction {
  /// Makes users members; those who are members already are skipped, as are those with too many
  /// invitations.
  ///
  /// - Throws: `StoreError.noUser` or `LogError.deactivated`.
  func invite(
    _ ids: [String], by inviter: User?, to url: String, under rules: GroupRules = GroupRules(),
    at timestamp: Int64
  ) throws -> [RecordedMember] {
    var state = try existingChannel(url)
    guard let former = state.channel.group else { return [] }
    let present = try members(ids, channelID: state.id)
    let new = try invitees(
      ids.filter { present[ExactText($0)] == nil }, by: inviter, under: rules)
    guard !new.isEmpty else { return [] }
    // The clock may have been set back: messages before the invitation stay hidden all the same.
    let invitation = Invitation(
      of: new, by: inviter,
      history: rules.history(
        from: max(timestamp, state.lastCreatedAt), after: state.lastPlace), at: timestamp)
    try insertMembers(of: invitation, channelID: state.id)
    let joinedCount = new.count(where: \.acceptsInvitations)
    try change(&state, members: new.count, joined: joinedCount, at: timestamp)
    return try record(invitation, to: state, from: former)
  }

  /// Makes a user a joined member; there is nothing to record when it is one.
  ///
  /// - Throws: `StoreError.noUser`, `LogError.tooManyGroups`.
  func join(
    _ userID: String, _ url: String, visibleFrom: Int64, under rules: GroupRules = GroupRules(),
    at timestamp: Int64
  ) throws -> [RecordedMember] {
    guard try keepUser(userID) else { throw StoreError.noUser(userID) }
    try requireRoom(for: userID, under: rules)
    var state = try existingChannel(url)
    guard let former = state.channel.group, let user = try user(userID) else { return [] }
    var member = Member(
      user, joinedAt: timestamp,
      history: rules.history(from: visibleFrom, after: state.lastPlace))
    let present = try members([userID], channelID: state.id)[ExactText(userID)]
    switch present?.state {
    case .joined: return []
    case .invited:
      (member.inviterID, member.invitedAt) = (present?.inviterID, present?.invitedAt ?? 0)
      try connection.execute(
        """
        UPDATE members SET state = ?, joined_at = ?, visible_from = ?, read_ordinal = ?, read_at = ?,
          floor_ordinal = ?
        WHERE channel_id = ? AND user_id = ?
        """,
        [
          member.state.stored, timestamp, member.visibleFrom, member.position.ordinal,
          member.position.readAt, member.position.floor, state.id, userID,
        ])
      try change(&state, joined: 1, at: timestamp)
    case nil:
      try insertMember(member, channelID: state.id)
      try change(&state, members: 1, joined: 1, at: timestamp)
    }
    guard let group = state.channel.group else { return [] }
    let event = Event.groupJoined(
      Event.Membership(
        of: user, memberCount: group.memberCount, joinedCount: group.joinedCount))
    let seq = try recordChange([event], from: former, to: state, at: timestamp)
    return [RecordedMember(member, seq: seq)]
  }

  /// Removes members, and records an event for each; users who are no members are skipped.
  ///
  /// - Returns: Those who left, as they were before.
  func depart(
    _ ids: [String], from url: String, _ reason: DepartureReason, at timestamp: Int64
  ) throws -> [RecordedMember] {
    var state = try existingChannel(url)
    guard let group = state.channel.group, !ids.isEmpty else { return [] }
    var present = try members(ids, channelID: state.id)
    let leaving = ids.compactMap { present.removeValue(forKey: ExactText($0)) }
    guard !leaving.isEmpty else { return [] }
    try connection.execute(
      "DELETE FROM members WHERE channel_id = ? AND user_id \(.isAnyOf)",
      [state.id, StoreValue.texts(leaving.map(\.user.id))])
    try noteDepartures(of: leaving.map(\.user.id), from: url)
    var (memberCount, joinedCount) = (group.memberCount, group.joinedCount)
    let events = leaving.map { member in
      memberCount -= 1
      if member.state == .joined { joinedCount -= 1 }
      let membership = Event.Membership(
        of: member.user, memberCount: memberCount, joinedCount: joinedCount)
      return switch member.state {
      case .joined: Event.groupLeft(Event.Departure(membership, reason))
      case .invited: Event.groupDeclined(membership)
      }
    }
    try change(
      &state, members: memberCount - group.memberCount, joined: joinedCount - group.joinedCount,
      at: timestamp)
    let first = try recordChange(events, from: group, to: state, at: timestamp)
    return leaving.enumerated().map { index, member in
      RecordedMember(member, seq: first.map { $0 + Int64(index) })
    }
  }

  /// Records the events about a change of members; in a large group they are only added to the outbox.
  ///
  /// - Parameters:
  ///   - former: The group before the change.
  ///   - state: The group after it.
  /// - Returns: The number of the first event; `nil` if none is recorded.
  func recordChange(
    _ events: [Event], from former: Group, to state: ChannelState, at timestamp: Int64
  ) throws -> Int64? {
    let channel = state.channel
    guard former.reportsNumbersOnly(changingTo: channel.group?.memberCount ?? 0) else {
      return try record(events, of: channel, state.id, at: timestamp)
    }
    try connection.execute(
      "UPDATE channels SET changed_at = \(.nextChange) WHERE channel_id = ?", [state.id])
    // The judge of an ephemeral channel posts its events.
    guard !channel.isEphemeral else { return nil }
    for event in events {
      try queue(event, from: EventOrigin(channelURL: channel.url, timestamp: timestamp))
    }
    return nil
  }

  /// Changes the numbers of members; a group whose users become others is no longer distinct.
  private func change(
    _ state: inout ChannelState, members: Int = 0, joined: Int = 0, at timestamp: Int64
  ) throws {
    guard var group = state.channel.group else { return }
    group.memberCount += members
    group.joinedCount += joined
    if members != 0 { group.isDistinct = false }
    state.channel.group = group
    try connection.execute(
      """
      UPDATE groups SET member_count = ?, joined_count = ?, is_distinct = ?,
        distinct_key = CASE WHEN ? = 1 THEN distinct_key END, empty_since = ?
      WHERE channel_id = ?
      """,
      [
        group.memberCount, group.joinedCount, group.isDistinct, group.isDistinct,
        group.memberCount == 0 ? timestamp : nil, state.id,
      ])
  }

  /// - Throws: `LogError.tooManyGroups`.
  func requireRoom(for userID: String, under rules: GroupRules) throws {
    guard try usersWithoutRoom([userID], in: .joined, limit: rules.joinedLimit).isEmpty else {
      throw LogError.tooManyGroups(limit: rules.joinedLimit)
    }
  }

  /// Keeps a user from being deleted before the transaction ends.
  ///
  /// - Returns: Whether the user exists.
  private func keepUser(_ id: String) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM users WHERE user_id = ? \(.keepingKey)", [id]
    ) { _ in true } ?? false
  }
}
