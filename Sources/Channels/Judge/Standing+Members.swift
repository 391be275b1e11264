import ParleyProtocol

/// Changes of a group's members, once the log has recorded them.
///
/// An event about a user who joins names a connection's reason to hear the group; see
/// ``ChannelEvent/Subject``. Invited users are no part of the audience, so they are notified one by one.
extension Standing {
  /// Applies an invitation: those who are invited share an event, each who joins has its own.
  ///
  /// - Returns: The size of the events.
  mutating func publishInvitation(
    of members: [RecordedMember], by inviter: User?, at timestamp: Int64,
    into actions: inout JudgeActions
  ) -> Int {
    let invited = members.filter { $0.member.state == .invited }
    actions.countInGroup(\.invitations.invited, invited.count)
    actions.countInGroup(\.invitations.joined, members.count - invited.count)
    for record in invited { rights.put(record.member) }
    var byteCount = 0
    if let first = invited.first {
      let invitation = Event.Invitation(by: inviter, of: invited.map(\.member.user), to: info)
      let event = Event.groupInvited(invitation)
      byteCount += publishChange(event, recorded: first.seq, at: timestamp, into: &actions)
      let notification = event.notification(
        from: EventOrigin(channelURL: place.url, seq: first.seq, timestamp: timestamp))
      let notified = invited.map(\.member).filter { !$0.blocksInviter }
      if !notified.isEmpty {
        actions.append(.notify(notified.map(\.user.id), notification: notification))
      }
    }
    for record in members where record.member.state == .joined {
      byteCount += publishJoining(record, at: timestamp, into: &actions)
    }
    return byteCount
  }

  /// Applies that a user has joined.
  ///
  /// - Returns: The size of the event.
  mutating func publishJoining(
    _ record: RecordedMember, at timestamp: Int64, into actions: inout JudgeActions
  ) -> Int {
    rights.put(record.member)
    return publishChange(
      .groupJoined(membership(of: record.member.user)), recorded: record.seq, at: timestamp,
      into: &actions)
  }

  /// Applies that a member has left, or an invited one has declined.
  ///
  /// - Returns: The size of the event.
  mutating func publishDeparture(
    _ record: RecordedMember, _ reason: DepartureReason, at timestamp: Int64,
    into actions: inout JudgeActions
  ) -> Int {
    let user = record.member.user
    if record.member.state == .invited {
      let end: WritableKeyPath<GroupTally, Int> =
        reason == .declined ? \.invitations.declined : \.invitations.withdrawn
      actions.countInGroup(end)
    }
    rights.removeMember(user.id)
    deliveries.forget(user.id)
    let membership = membership(of: user)
    switch record.member.state {
    case .joined:
      return publishChange(
        .groupLeft(Event.Departure(membership, reason)), recorded: record.seq, at: timestamp,
        into: &actions)
    case .invited:
      let loss = Event.groupLost(Event.GroupLoss(reason)).notification(
        from: EventOrigin(channelURL: place.url, timestamp: timestamp))
      // A user who blocks the inviter does not know of the invitation.
      if !record.member.blocksInviter { actions.append(.notify([user.id], notification: loss)) }
      return publishChange(
        .groupDeclined(membership), recorded: record.seq, at: timestamp, into: &actions)
    }
  }

  /// Members count messages in groups only, so that no message of an open channel is silent.
  ///
  /// - Throws: 400111.
  func requireCounting(of draft: MessageDraft) throws(ServiceError) {
    guard isGroup || !draft.isSilent else { throw .unsupported(.silence) }
  }

  /// A message for the log, with what decides how the members of a group count it, and whether it is pushed.
  ///
  /// - Parameter mayBeRepeated: See ``UnsequencedMessage/mayBeRepeated``.
  @inline(__always)
  func unsequenced(
    _ send: PendingSend, of draft: MessageDraft, _ upload: FileRecord?,
    _ role: UnsequencedMessage.Role, mayBeRepeated: Bool
  ) -> UnsequencedMessage {
    // Created in one step and inlined: a value of this size is copied when it is changed or returned.
    UnsequencedMessage(
      send.accepted.message, mentionedUserIDs: draft.mentionedUserIDs, upload: upload, role: role,
      mayBeRepeated: mayBeRepeated, isCounted: isGroup && !draft.isSilent,
      isSilent: isGroup && draft.isSilent, marksAsRead: !isGroup || draft.marksAsRead,
      blockerID: send.blockerID, pushes: pushes(of: draft, as: role))
  }

  /// How a message is pushed; of an open channel, only one that mentions users can be.
  private func pushes(of draft: MessageDraft, as role: UnsequencedMessage.Role) -> PushIntent? {
    guard role != .imported, isGroup ? !draft.isSilent : !draft.mentionedUserIDs.isEmpty else {
      return nil
    }
    return draft.pushes
  }

  /// The member of a group of two for whom a message of its author must not count.
  ///
  /// Nothing is counted in an ephemeral group, and silent messages are not counted anyway.
  func blockerID(of author: User?, _ draft: MessageDraft) -> String? {
    guard isGroup, !isEphemeral, !draft.isSilent else { return nil }
    return author.flatMap { rights.blockerID(of: $0.id) }
  }

  /// Publishes the first events of a group that was just created, as the log has recorded them.
  mutating func publishFirstMembers(_ members: [Member], into actions: inout JudgeActions) {
    let creator = rights.channel.group?.createdBy
    let others = members.filter { $0.user.id != creator?.id }
    guard !others.isEmpty else { return }
    // Each event has the number of members that it leads to.
    for member in others { rights.removeMember(member.user.id) }
    let group = rights.channel.group ?? Group()
    let first: Int64? = group.reportsNumbersOnly(changingTo: members.count) ? nil : 1
    _ = publishInvitation(
      of: others.recordedInvitation(from: first), by: creator, at: rights.channel.createdAt,
      into: &actions)
  }

  /// Publishes an event about members.
  ///
  /// In a large group, where it has no number, only the user that it is about receives it, and all members
  /// receive the numbers of members.
  ///
  /// - Returns: The size of the event.
  private mutating func publishChange(
    _ event: Event, recorded seq: Int64?, at timestamp: Int64, into actions: inout JudgeActions
  ) -> Int {
    if let seq { return publish(event, recorded: seq, at: timestamp, into: &actions) }
    let quiet = ChannelEvent(quietly: event, in: place.url, after: count.last, at: timestamp)
    if let quiet { actions.append(.publish(quiet)) }
    if isEphemeral {
      actions.append(
        .post(event, from: EventOrigin(channelURL: place.url, timestamp: timestamp)))
    }
    let (all, joined) = (rights.members?.count ?? 0, rights.members?.joinedCount ?? 0)
    actions.append(.reportMemberCount(Event.MemberCount(all: all, joined: joined)))
    return quiet?.payload.count ?? 0
  }

  private func membership(of user: User) -> Event.Membership {
    Event.Membership(
      of: user, memberCount: rights.members?.count ?? 0,
      joinedCount: rights.members?.joinedCount ?? 0)
  }
}
