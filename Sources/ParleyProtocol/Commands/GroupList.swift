/// The groups that a list shows: those that meet all conditions.
package struct GroupFilter: Sendable, Hashable {
  /// The hidden groups among a user's own.
  package enum Hidden: String, Sendable, CaseIterable {
    case unhiddenOnly = "unhidden_only"
    case hiddenOnly = "hidden_only"
    case hiddenAllowAutoUnhide = "hidden_allow_auto_unhide"
    case hiddenPreventAutoUnhide = "hidden_prevent_auto_unhide"
    case all
  }

  /// The users who are members, joined or invited.
  package enum Members: Sendable, Hashable {
    case all(of: [String])
    case any(of: [String])
    case exactly([String])
  }

  /// The user's own state; `nil` for both.
  package var state: MemberState?
  package var hidden = Hidden.unhiddenOnly
  package var isUnreadOnly = false
  /// `nil` for both.
  package var isPublic: Bool?
  /// `nil` for both.
  package var isDistinct: Bool?
  /// `nil` for both.
  package var isSuper: Bool?
  /// Any of these; empty for all.
  package var customTypes: [String] = []
  package var customTypePrefix: String?
  /// Part of the name, ignoring case.
  package var nameContains: String?
  package var members: Members?
  /// Part of the nickname of a member, ignoring case.
  package var nicknameContains: String?
  /// Any of these; empty for all.
  package var urls: [String] = []
  /// Whether groups without a message are shown.
  package var showsEmpty = true
  package var showsFrozen = true
  /// Unix milliseconds.
  package var createdAfter: Int64?
  package var createdBefore: Int64?

  package init() {}
}

/// The order of a list of groups.
package enum GroupOrder: String, Sendable, CaseIterable {
  /// Those with the latest message first.
  case latestLastMessage = "latest_last_message"
  /// Newest first.
  case chronological
  case alphabetical = "channel_name_alphabetical"
}

/// `group.list`: a page of groups.
package struct GroupList: Sendable, Hashable {
  package var filter: GroupFilter
  package var order: GroupOrder
  /// Whether all public groups are listed, instead of the caller's own groups.
  package var isPublicOnly: Bool
  /// The number of members of each group.
  package var memberLimit: Int
  /// 1 to 100.
  package var limit: Int
  /// The end of the previous page; `nil` for the first page.
  package var token: String?

  package init(
    _ filter: GroupFilter, order: GroupOrder, isPublicOnly: Bool = false, memberLimit: Int = 0,
    limit: Int, token: String? = nil
  ) {
    self.filter = filter
    self.order = order
    self.isPublicOnly = isPublicOnly
    self.memberLimit = memberLimit
    self.limit = limit
    self.token = token
  }

  package init(_ parameters: Fields) throws(ServiceError) {
    isPublicOnly = try parameters.boolean("public_only") ?? false
    filter = try GroupFilter(parameters)
    order = try parameters.groupOrder() ?? (isPublicOnly ? .chronological : .latestLastMessage)
    memberLimit = try parameters.memberLimit(unlessGiven: 0)
    limit = try parameters.pageSize(Limits.defaultMemberPageSize)
    token = try parameters.pageToken()
    guard isPublicOnly else { return }
    try order.requireChronological()
    guard filter.state == nil, filter.hidden == .unhiddenOnly, !filter.isUnreadOnly else {
      throw .notCombinable("public_only", "the other conditions are about the user's own groups")
    }
  }
}

extension GroupOrder {
  /// Other orders would sort all groups of the deployment.
  ///
  /// - Throws: 400111.
  package func requireChronological() throws(ServiceError) {
    guard self == .chronological else {
      throw .invalid(
        "order", rawValue, expected: "chronological, unless the list is of a user's own groups")
    }
  }
}

extension GroupFilter {
  fileprivate enum Mode: String, CaseIterable {
    case all
    case publicGroups = "public"
    case privateGroups = "private"
    case distinct
    case nondistinct
    case superGroups = "super"
    case nonsuper

    /// The value of a condition that one of two modes requires.
    func requirement(_ yes: Mode, _ no: Mode) -> Bool? {
      self == yes ? true : self == no ? false : nil
    }
  }

  /// Reads the conditions of `group.list`.
  fileprivate init(_ parameters: Fields) throws(ServiceError) {
    try readModes(parameters)
    state = try parameters.memberState()
    hidden = try parameters.choice("hidden_mode", of: Hidden.self) ?? .unhiddenOnly
    isUnreadOnly = try parameters.boolean("unread_only") ?? false
    customTypes = try parameters.customTypes() ?? []
    customTypePrefix = try parameters.text(
      "custom_type_startswith", limit: CustomDataLimits.most.customTypeLength)
    nameContains = try parameters.text("name_contains", limit: Limits.channelNameLength)
    nicknameContains = try parameters.text("nickname_contains", limit: Limits.nicknameLength)
    members = try parameters.memberCondition()
    urls = try parameters.channelURLs("channel_urls") ?? []
    showsEmpty = try parameters.boolean("show_empty") ?? true
    showsFrozen = try parameters.boolean("show_frozen") ?? true
  }

  /// Reads the conditions that both APIs name alike.
  package mutating func readModes(_ parameters: Fields) throws(ServiceError) {
    isPublic = try parameters.mode("public_mode", [.all, .publicGroups, .privateGroups])?
      .requirement(.publicGroups, .privateGroups)
    isDistinct = try parameters.mode("distinct_mode", [.all, .distinct, .nondistinct])?
      .requirement(.distinct, .nondistinct)
    isSuper = try parameters.superMode()
  }
}

extension Fields {
  fileprivate func mode(
    _ name: String, _ allowed: [GroupFilter.Mode]
  ) throws(ServiceError) -> GroupFilter.Mode? {
    guard let text = try value(name)?.string(name) else { return nil }
    guard let mode = GroupFilter.Mode(rawValue: text), allowed.contains(mode) else {
      let names = allowed.map(\.rawValue).joined(separator: ", ")
      throw .invalid(name, text, expected: "one of \(names)")
    }
    return mode
  }

  /// `order`.
  package func groupOrder() throws(ServiceError) -> GroupOrder? {
    try choice("order", of: GroupOrder.self)
  }

  /// `super_mode`.
  fileprivate func superMode() throws(ServiceError) -> Bool? {
    try mode("super_mode", [.all, .superGroups, .nonsuper])?.requirement(.superGroups, .nonsuper)
  }

  /// A list of up to 100 channels.
  package func channelURLs(_ name: String) throws(ServiceError) -> [String]? {
    try texts(
      name, countLimit: Limits.memberListCount, limit: Limits.channelURLLengths.upperBound)
  }

  /// `members_include` or `members_exactly`.
  fileprivate func memberCondition() throws(ServiceError) -> GroupFilter.Members? {
    if let ids = try userIDs("members_exactly", limit: Limits.memberListCount) {
      return .exactly(ids)
    }
    guard let include = try nested("members_include") else { return nil }
    let ids = try include.userIDs("user_ids", limit: Limits.memberListCount) ?? []
    return try include.choice("mode", of: MemberMode.self) == .or ? .any(of: ids) : .all(of: ids)
  }

  private enum MemberMode: String, CaseIterable {
    case and
    case or
  }
}

/// `group.unread`: the numbers of unread messages over all groups that the caller has joined and not
/// hidden.
package struct GroupTotals: Sendable, Hashable {
  /// Any of these; empty for all.
  package var customTypes: [String]
  /// See ``GroupFilter/isSuper``.
  package var isSuper: Bool?

  package init(_ parameters: Fields) throws(ServiceError) {
    customTypes = try parameters.customTypes() ?? []
    isSuper = try parameters.superMode()
  }
}
