import Channels
import Configuration
import ParleyProtocol
import Store

/// Lists of groups.
enum GroupListEndpoints {
  /// `GET /group_channels`: all groups of the deployment, newest first.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let query = call.query
    var filter = try GroupFilter(platform: query)
    filter.showsEmpty = try query.boolean("show_empty") ?? false
    let order = try query.groupOrder() ?? .chronological
    try order.requireChronological()
    try list(filter, order, of: .all, call, completion)
  }

  /// `GET /users/{id}/my_group_channels`: the groups of a user, who must exist.
  static func listOwn(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (query, userID) = (call.query, try call.userID)
    var filter = try GroupFilter(platform: query)
    filter.showsEmpty = try query.boolean("show_empty") ?? true
    filter.state = try query.choice("member_state_filter", of: MemberStateFilter.self)?.state
    filter.hidden = try query.choice("hidden_mode", of: GroupFilter.Hidden.self) ?? .unhiddenOnly
    filter.isUnreadOnly =
      try query.choice("unread_filter", of: UnreadFilter.self) == .unreadMessages
    let order = try query.groupOrder() ?? .chronological
    try list(filter, order, of: .memberships(ofUser: userID), call, completion)
  }

  private enum UnreadFilter: String, CaseIterable {
    case all
    case unreadMessages = "unread_message"
  }

  private static func list(
    _ filter: GroupFilter, _ order: GroupOrder, of source: GroupSource, _ call: PlatformCall,
    _ completion: Completion
  ) throws(ServiceError) {
    let query = call.query
    let showsMembers = try query.boolean("show_member") ?? false
    let parts = GroupParts(members: showsMembers, own: source != .all)
    let list = GroupList(
      filter, order: order, memberLimit: showsMembers ? Limits.memberListCount : 0,
      limit: try query.pageSize(), token: try query.pageToken())
    let (now, caller) = (call.services.clock.now, call.caller)
    let listing = GroupListing(
      list, of: source, at: now, as: call.shard.groupEncoder(showing: parts))
    let read: @Sendable (Shard) -> Void = { shard in
      shard.listGroups(listing, for: caller) {
        $0.encoded(as: "channels", at: now)
      } then: { _, result in
        completion(result)
      }
    }
    guard case .memberships(let userID) = source else { return read(call.shard) }
    call.whenUserExists(userID, completion, read)
  }

  /// `GET /users/{id}/my_group_channels/changelogs`: the groups of a user that have changed.
  static func listChanges(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (userID, caller) = (try call.userID, call.caller)
    let list = try ChangeList(call.query, time: "change_ts")
    let now = call.services.clock.now
    try list.requireKept(at: now, time: "change_ts")
    let changes = GroupChanges(
      ofUser: userID, list, at: now,
      as: call.shard.groupEncoder(showing: GroupParts(members: false, own: true)))
    call.whenUserExists(userID, completion) { shard in
      shard.listGroups(changes, for: caller) {
        $0.encoded(next: "next")
      } then: { _, result in
        completion(result)
      }
    }
  }
}

extension PlatformCall {
  /// Continues on this shard if a user exists.
  fileprivate func whenUserExists(
    _ userID: String, _ completion: Completion, _ body: @escaping @Sendable (Shard) -> Void
  ) {
    let path = shard.returnPath
    services.store.perform(AccountLookup(userID)) { result in
      switch result.serviceResult.existing(userID) {
      case .success: path.resume(body)
      case .failure(let error): completion.fail(error)
      }
    }
  }
}

extension MessageAuthors {
  /// The known facts about the users in the last message of a group.
  init(_ group: ListedGroup) {
    self.init(
      Set(group.state.channel.operators.map(\.id)), deactivatedIDs: group.deactivatedIDs)
  }
}

/// The members of a group by their state, as the Platform API names them.
enum MemberStateFilter: String, CaseIterable {
  case all
  case invitedOnly = "invited_only"
  case joinedOnly = "joined_only"

  var state: MemberState? {
    switch self {
    case .all: nil
    case .invitedOnly: .invited
    case .joinedOnly: .joined
    }
  }
}

/// Which members an answer shows by activation; the official client has names without `_only`.
private enum MemberActiveMode: String, CaseIterable {
  case all
  case activatedOnly = "activated_only"
  case deactivatedOnly = "deactivated_only"
  case activated
  case deactivated

  var mode: UserQuery.ActiveMode {
    switch self {
    case .all: .all
    case .activatedOnly, .activated: .activated
    case .deactivatedOnly, .deactivated: .deactivated
    }
  }
}

extension Fields {
  /// Reads which members to show by activation; all of them by default.
  func activeMode(_ name: String) throws(ServiceError) -> UserQuery.ActiveMode {
    try choice(name, of: MemberActiveMode.self)?.mode ?? .all
  }
}

extension UserQuery.ActiveMode {
  /// Whether a user is shown.
  func includes(isActive: Bool) -> Bool {
    switch self {
    case .all: true
    case .activated: isActive
    case .deactivated: !isActive
    }
  }
}

extension GroupFilter {
  /// Reads the conditions that lists of the Platform API share.
  fileprivate init(platform query: Fields) throws(ServiceError) {
    self.init()
    try readModes(query)
    customTypes = try query.customTypes() ?? []
    customTypePrefix = try query.text(
      "custom_type_startswith", limit: CustomDataLimits.most.customTypeLength)
    nameContains = try query.text("name_contains", limit: Limits.channelNameLength)
    nicknameContains = try query.text("members_nickname_contains", limit: Limits.nicknameLength)
    urls = try query.channelURLs("channel_urls") ?? []
    showsFrozen = try query.boolean("show_frozen") ?? true
    // Seconds, as in answers.
    createdAfter = try query.integer("created_after", in: 0...Limits.timestamps.upperBound / 1000)
      .map { $0 * 1000 }
    createdBefore = try query.integer("created_before", in: 0...Limits.timestamps.upperBound / 1000)
      .map { $0 * 1000 + 999 }
    let all = try query.userIDs("members_include_in", limit: Limits.memberListCount)
    let isAny = try query.choice("query_type", of: QueryType.self) == .or
    if let all { members = isAny ? .any(of: all) : .all(of: all) }
    if let ids = try query.userIDs("members_exactly_in", limit: Limits.memberListCount) {
      members = .exactly(ids)
    }
  }

  private enum QueryType: String, CaseIterable {
    case and = "AND"
    case or = "OR"
  }
}
