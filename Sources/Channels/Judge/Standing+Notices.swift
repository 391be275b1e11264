import ParleyProtocol

/// Notices without a number for the members of a group: typing, and read positions of others.
extension Standing {
  /// Notes that a member begins or ends typing; that of a member who may not send has no effect.
  ///
  /// - Throws: 900020 for a user who is no member.
  mutating func setTyping(
    _ isTyping: Bool, by principal: Principal, at now: Moment, into actions: inout JudgeActions
  ) throws(ServiceError) {
    guard let user = principal.user, rights.members?[user.id] != nil else {
      throw .notJoined(place.url)
    }
    let wasTyping = typing.contains(user.id)
    if !isTyping {
      typing.stop(user.id, at: now.monotonic)
      actions.countInGroup(wasTyping ? \.typing.stopped : \.typing.ignored)
    } else if mayType(user.id, at: now.unix) {
      typing.start(user.id, at: now.monotonic)
      actions.countInGroup(wasTyping ? \.typing.extended : \.typing.started)
    } else {
      actions.countInGroup(\.typing.ignored)
    }
  }

  /// Ends the typing of members who may no longer send.
  mutating func endTypingOfRestricted(at now: Moment) {
    guard !typing.isIdle else { return }
    let standing = self
    typing.keep { standing.mayType($0, at: now.unix) }
  }

  /// Publishes who is typing, if that is due.
  mutating func publishTyping(at now: Moment, into actions: inout JudgeActions) {
    guard !typing.isIdle, let members = rights.members else { return }
    let limit = members.count > Limits.memberListCount ? 2 : 10
    guard let notices = typing.takeNotices(at: now.monotonic, limit: limit) else { return }
    let origin = EventOrigin(channelURL: place.url, timestamp: now.unix)
    if let common = notices.common {
      let payload = Event.groupTyping(common).notification(from: origin)
      actions.append(.notifyMembers(MembersNotice(payload: payload, exceptIDs: notices.ownIDs)))
    }
    for (userID, view) in notices.own {
      notify(.groupTyping(view), of: userID, except: nil, at: now.unix, into: &actions)
    }
  }

  /// Whether members of the group learn how far others have read.
  var hasReceipts: Bool {
    sources.groupRules().hasReceipts(in: rights.channel, with: rights.members?.count ?? 0)
  }

  /// The read positions that a caller sees.
  ///
  /// - Parameter viewer: The caller as a member; `nil` for the Platform API.
  func visibleReceipts(to viewer: Member?) -> VisibleReceipts {
    VisibleReceipts(
      of: rights.channel, with: rights.members?.count ?? 0, under: sources.groupRules(),
      seenBy: viewer)
  }

  /// How far the joined members have read, in Unix milliseconds; 0 for those whose position the caller does not
  /// see.
  ///
  /// - Throws: 400108 for a user who has not joined, 400201 in an ephemeral group, 400920 for a group with
  ///   too many members.
  func receipts(for principal: Principal) throws(ServiceError) -> [String: Int64] {
    _ = try rights.requireReading(principal)
    try rights.requireKeptMessages()
    guard hasReceipts, let members = rights.members else {
      throw .noReceipts(place.url, limit: sources.groupRules().receiptMemberLimit)
    }
    return members.readTimes(visibleReceipts(to: rights.member(principal)))
  }

  /// Notes that a member has read further.
  ///
  /// - Parameter messageID: The message that the member has named.
  mutating func noteRead(by member: Member, upTo messageID: Int64?, at now: Moment) {
    guard hasReceipts else { return }
    let read = Event.Read(
      by: member.user.id, readAt: member.position.readAt, messageID: messageID)
    reads.note(read, at: now.monotonic)
  }

  /// Publishes how far members have read, if that is due.
  mutating func publishReads(at now: Moment, into actions: inout JudgeActions) {
    let privateIDs =
      sources.groupRules().allowsPrivateReads ? rights.members?.privateReaderIDs ?? [] : []
    let moves = reads.take(at: now.monotonic).filter {
      rights.members?.isJoined($0.userID) == true && !privateIDs.contains($0.userID)
    }
    guard !moves.isEmpty, hasReceipts else { return }
    actions.countInGroup(\.receipts, moves.count)
    let payload = Event.groupRead(Event.Reads(moves)).notification(
      from: EventOrigin(channelURL: place.url, timestamp: now.unix))
    actions.append(.notifyMembers(MembersNotice(payload: payload, exceptIDs: privateIDs)))
  }

  private func mayType(_ userID: String, at now: Int64) -> Bool {
    guard let members = rights.members, members.count <= TypingMembers.largestGroup else {
      return false
    }
    return !SendingObstacle.allCases.contains { rights.stands($0, against: userID, at: now) }
  }
}
