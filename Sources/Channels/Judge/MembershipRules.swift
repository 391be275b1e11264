import ParleyProtocol

/// Rules for changes of the members of a group.
extension MembershipChange {
  /// The changes that make a difference to a group.
  ///
  /// - Throws: 400201 for a private group that the caller may not join, 400750 for banned users, 400920
  ///   without an open invitation, 900020 for callers who have not joined, 400108 for callers who are
  ///   not operators, 400111 for a wrong access code, 400203 for too many members.
  func changes(
    by principal: Principal, in rights: Rights, under rules: GroupRules, at now: Int64,
    visibleFrom: Int64
  ) throws(ServiceError) -> [ChannelChange] {
    guard let members = rights.members else {
      throw .wrongKind(rights.channel.url, .open)
    }
    switch self {
    case .invite(let ids):
      try rights.requireInviting(principal, under: rules)
      return try invitation(of: ids, by: principal, in: rights, under: rules, members, at: now)
    case .accept:
      let member = try principal.member(of: rights)
      guard member.state == .invited else { return [] }
      return [.join(userID: member.user.id, visibleFrom: visibleFrom, under: rules)]
    case .decline:
      let member = try principal.member(of: rights)
      guard member.state == .invited else { throw .notInvited(rights.channel.url) }
      return [.depart([member.user.id], .declined)]
    case .join(let accessCode):
      return try joining(
        by: principal, with: accessCode, rights, under: rules, members, at: now,
        visibleFrom: visibleFrom)
    case .leave:
      guard let user = principal.user, members.isJoined(user.id) else {
        throw .notJoined(rights.channel.url)
      }
      return [.depart([user.id], .left)]
    case .remove(let ids):
      try rights.requireOperating(principal)
      return rights.departure(of: ids, .removed)
    case .release(let userIDs, let keepsRoles):
      try rights.requireOperating(principal)
      return rights.departure(of: userIDs ?? members.ids, .left, keepsRoles: keepsRoles)
    case .forget(let userID):
      try rights.requireOperating(principal)
      return rights.departure(of: [userID], .deletedUser)
    }
  }

  private func invitation(
    of ids: [String], by principal: Principal, in rights: Rights, under rules: GroupRules,
    _ members: Members, at now: Int64
  ) throws(ServiceError) -> [ChannelChange] {
    let new = ids.filter { members[$0] == nil }
    for id in new where rights.restriction(.ban, of: id, at: now) != nil {
      throw .banned(rights.channel.url)
    }
    try rights.requireRoom(for: new.count, under: rules)
    return new.isEmpty ? [] : [.invite(new, by: principal.user, under: rules)]
  }

  private func joining(
    by principal: Principal, with accessCode: String, _ rights: Rights, under rules: GroupRules,
    _ members: Members, at now: Int64, visibleFrom: Int64
  ) throws(ServiceError) -> [ChannelChange] {
    guard let group = rights.channel.group, let user = principal.user else { return [] }
    guard group.isPublic else { throw .notFound(.channel, rights.channel.url) }
    try rights.requireNoBan(user.id, at: now)
    guard !members.isJoined(user.id) else { return [] }
    guard rights.opens(with: accessCode) else {
      throw .invalid("access_code", accessCode, expected: "the access code of the group")
    }
    try rights.requireRoom(for: members[user.id] == nil ? 1 : 0, under: rules)
    return [.join(userID: user.id, visibleFrom: visibleFrom, under: rules)]
  }
}

extension Principal {
  /// - Throws: 400920 for a caller who is no member.
  fileprivate func member(of rights: Rights) throws(ServiceError) -> Member {
    guard let user, let member = rights.members?[user.id] else {
      throw .notInvited(rights.channel.url)
    }
    return member
  }
}

/// The rights to groups.
extension Rights {
  /// A private group does not exist for strangers.
  ///
  /// - Throws: 400201.
  func requireVisibility(to principal: Principal) throws(ServiceError) {
    if let user = principal.boundUser { try requireVisibility(toUser: user.id) }
  }

  /// - Throws: 400201.
  func requireVisibility(toUser userID: String) throws(ServiceError) {
    guard channel.group?.isPublic == false, members?.contains(userID) == false else { return }
    throw .notFound(.channel, channel.url)
  }

  /// - Throws: 400920 for a group.
  func requireOpenChannel() throws(ServiceError) {
    guard members == nil else { throw .wrongKind(channel.url, .group) }
  }

  /// - Throws: 400920 for a command of the other kind of channel.
  func requireKind(of command: ChannelCommand) throws(ServiceError) {
    let isRight =
      switch command {
      case .group: members != nil
      case .view, .operation(.update), .operation(.delete): members == nil
      case .operation, .send, .updateMessage, .deleteMessage, .viewMessage, .translateMessage,
        .changeMetaArrays:
        true
      }
    guard isRight else { throw .wrongKind(channel.url, channel.kind) }
  }

  /// In an open channel, anyone may read; in a group, joined members, from a certain message on.
  ///
  /// - Returns: See ``Member/visibleFrom``.
  /// - Throws: 400108.
  func requireReading(_ principal: Principal) throws(ServiceError) -> Int64 {
    guard let members, let user = principal.boundUser else { return 0 }
    guard let member = members[user.id], member.state == .joined else {
      throw .notAllowed("only joined members of the group may do this")
    }
    return member.visibleFrom
  }

  /// - Throws: 400203 for more members than a group may have.
  fileprivate func requireRoom(
    for newCount: Int, under rules: GroupRules
  ) throws(ServiceError) {
    // A group that was full before the limit was lowered keeps its members.
    guard newCount > 0, let members else { return }
    let limit = channel.group?.isSuper == true ? rules.superMemberLimit : rules.memberLimit
    guard members.count + newCount <= limit else {
      throw .tooManyMembers(limit: limit)
    }
  }

  /// - Throws: 900020, or 400108 where only operators invite.
  fileprivate func requireInviting(
    _ principal: Principal, under rules: GroupRules
  ) throws(ServiceError) {
    guard let user = principal.boundUser else { return }
    guard members?.isJoined(user.id) == true else { throw .notJoined(channel.url) }
    let needsCode = channel.group?.isPublic == true && channel.group?.accessCode.isEmpty == false
    if needsCode || rules.onlyOperatorsInvite {
      try requireOperating(principal)
    }
  }

  /// Joined members may change a group that no operator takes part in.
  ///
  /// - Throws: 400201, 400108.
  func requireUpdating(_ principal: Principal) throws(ServiceError) {
    guard let members, let user = principal.boundUser, members.isJoined(user.id),
      !channel.operators.contains(where: { members.isJoined($0.id) })
    else { return try requireOperating(principal) }
  }

  /// Only members of a group may be its operators.
  ///
  /// - Throws: 400111.
  func requireMembers(_ ids: [String]) throws(ServiceError) {
    guard let members else { return }
    if let stranger = ids.first(where: { members[$0] == nil && !isOperator($0) }) {
      throw .invalid("operator_ids", stranger, expected: "a member of the group")
    }
  }

  /// Whether a text opens a public group.
  func opens(with accessCode: String) -> Bool {
    let code = channel.group?.accessCode ?? ""
    return code.isEmpty || code == accessCode
  }

  /// The changes that remove users who are members, with their roles unless these are kept.
  func departure(
    of ids: [String], _ reason: DepartureReason, keepsRoles: Bool = false
  ) -> [ChannelChange] {
    let operators = keepsRoles ? [] : ids.filter(isOperator)
    let present = ids.filter { members?[$0] != nil }
    return (operators.isEmpty ? [] : [.removeOperators(operators)])
      + (present.isEmpty ? [] : [.depart(present, reason)])
  }

  /// The given users of which the group has joined members, whom alone a message may mention.
  func mentionable(_ ids: [String]) -> [String] {
    guard let members, !ids.isEmpty else { return ids }
    return ids.filter(members.isJoined)
  }
}
