import ParleyProtocol

/// An operation is judged against the channel's state when its turn comes.
extension ChannelOperation {
  /// The size of the caller's values.
  var byteCount: Int {
    switch self {
    case .restrict(_, let restriction): restriction.description.utf8.count
    case .changeBan(_, let change): change.description?.utf8.count ?? 0
    case .update, .freeze, .addOperators, .removeOperators, .removeAllOperators, .lift,
      .changeMembers, .delete, .deleteEmpty:
      0
    }
  }

  /// The changes that make a difference to a channel.
  ///
  /// - Throws: 400110 for a channel that would not fit into an event, 400203 for too many
  ///   operators, bans or mutes, 400201 for a ban that does not exist.
  func changes(
    by principal: Principal, in rights: Rights, under rules: GroupRules, at now: Int64,
    visibleFrom: Int64
  ) throws(ServiceError) -> [ChannelChange] {
    let channel = rights.channel
    switch self {
    case .update(let fields):
      return try Self.changes(fields, in: rights)
    case .freeze(let isFrozen):
      return channel.isFrozen == isFrozen ? [] : [.freeze(isFrozen)]
    case .addOperators(let ids):
      try rights.requireMembers(ids)
      let new = ids.filter { !rights.isOperator($0) }
      guard !new.isEmpty else { return [] }
      guard channel.operators.count + new.count <= Limits.operatorCount else {
        throw .tooMany(principal.operatorsField, limit: Limits.operatorCount)
      }
      return [.addOperators(new)]
    case .removeOperators(let ids):
      let present = ids.filter { rights.isOperator($0) }
      return present.isEmpty ? [] : [.removeOperators(present)]
    case .removeAllOperators:
      return channel.operators.isEmpty ? [] : [.keepOperators([])]
    case .restrict(let kind, let command):
      try rights.requireRoom(for: kind, of: command.userID, at: now)
      let restriction = Restriction(
        userID: command.userID, startsAt: now, endsAt: now + command.durationMilliseconds,
        description: command.description)
      guard kind == .ban, rights.members != nil else { return [.restrict(kind, restriction)] }
      return [.restrict(kind, restriction)] + rights.departure(of: [command.userID], .banned)
    case .changeMembers(let change):
      return try change.changes(
        by: principal, in: rights, under: rules, at: now, visibleFrom: visibleFrom)
    case .changeBan(let userID, let change):
      guard var ban = rights.restriction(.ban, of: userID, at: now) else {
        throw .notFound(.ban, userID)
      }
      ban.startsAt = now
      if let duration = change.durationMilliseconds { ban.endsAt = now + duration }
      if let description = change.description { ban.description = description }
      return [.restrict(.ban, ban)]
    // Only the log knows whether the user exists.
    case .lift(let kind, let userID): return [.lift(kind, userID: userID)]
    case .delete, .deleteEmpty: return []
    }
  }

  private static func changes(
    _ fields: ChannelFields, in rights: Rights
  ) throws(ServiceError) -> [ChannelChange] {
    var changes: [ChannelChange] = []
    let new = ChannelChanges(
      name: fields.name, coverURL: fields.coverURL, data: fields.data,
      customType: fields.customType, isPublic: fields.isPublic, accessCode: fields.accessCode)
    let channel = new.applied(to: rights.channel)
    if channel != rights.channel {
      try channel.checkSize(after: rights.channel)
      changes.append(.fields(new))
    }
    // Removals come first to make room for additions.
    if let ids = fields.operatorIDs {
      try rights.requireMembers(ids)
      if !rights.operatorIDs.isSubset(of: ids) { changes.append(.keepOperators(ids)) }
      let added = ids.filter { !rights.isOperator($0) }
      if !added.isEmpty { changes.append(.addOperators(added)) }
    }
    return changes
  }
}

extension Principal {
  /// The parameter that names the operators to add.
  fileprivate var operatorsField: String {
    switch self {
    case .session, .background: "user_ids"
    case .platform: "operator_ids"
    }
  }
}

/// The values in the answer to a completed operation.
enum OperationAnswer: Sendable {
  case channel
  case imposed(ImposedRestriction)
  case lifted(Bool)
  /// Those who were invited to a group, or joined it at once.
  case members([Member])
}
