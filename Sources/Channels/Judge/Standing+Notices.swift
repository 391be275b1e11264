import ParleyProtocol

/// Notices without a number for the members of a group: who is typing.
extension Standing {
  /// Whether notices are to be published, or positions to be stored.
  var hasNotices: Bool { !typing.isIdle || !reads.isIdle || !deliveries.isIdle }

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
      notify(.groupTyping(view), of: userID, at: now.unix, into: &actions)
    }
  }

  private func mayType(_ userID: String, at now: Int64) -> Bool {
    guard let members = rights.members, members.count <= TypingMembers.largestGroup else {
      return false
    }
    return !SendingObstacle.allCases.contains { rights.stands($0, against: userID, at: now) }
  }
}
