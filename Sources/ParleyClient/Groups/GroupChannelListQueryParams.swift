internal import ParleyProtocol

/// The filters of a list of the user's groups; a group must meet all.
public final class GroupChannelListQueryParams: Sendable {
  private let shared: SharedValues<Values>

  /// The order.
  public var order: GroupChannelListOrder {
    get { shared[\.order] }
    set { shared[\.order] = newValue }
  }

  /// The state of the user in the groups.
  public var myMemberStateFilter: MemberStateFilter {
    get { shared[\.myMemberStateFilter] }
    set { shared[\.myMemberStateFilter] = newValue }
  }

  /// Whether groups are listed that the user has hidden.
  public var channelHiddenStateFilter: ChannelHiddenStateFilter {
    get { shared[\.channelHiddenStateFilter] }
    set { shared[\.channelHiddenStateFilter] = newValue }
  }

  /// Whether only groups with unread messages are listed.
  public var unreadChannelFilter: UnreadChannelFilter {
    get { shared[\.unreadChannelFilter] }
    set { shared[\.unreadChannelFilter] = newValue }
  }

  /// Whether only public or only private groups are listed.
  public var publicChannelFilter: PublicChannelFilter {
    get { shared[\.publicChannelFilter] }
    set { shared[\.publicChannelFilter] = newValue }
  }

  /// Whether only distinct or only other groups are listed.
  public var distinctChannelFilter: DistinctChannelFilter {
    get { shared[\.distinctChannelFilter] }
    set { shared[\.distinctChannelFilter] = newValue }
  }

  /// Whether only super groups or only other groups are listed.
  public var superChannelFilter: SuperChannelFilter {
    get { shared[\.superChannelFilter] }
    set { shared[\.superChannelFilter] = newValue }
  }

  /// The members that a group has, 1 to 100 users with or without the current one; `nil` for any.
  ///
  /// With ``GroupChannelListQueryType/and``, all of them must be members.
  public var userIDsIncludeFilter: [String]? {
    get { shared[\.userIDsIncludeFilter] }
    set { shared[\.userIDsIncludeFilter] = newValue }
  }

  /// Whether all users of ``userIDsIncludeFilter`` must be members, or one.
  public var queryType: GroupChannelListQueryType {
    get { shared[\.queryType] }
    set { shared[\.queryType] = newValue }
  }

  /// All members of a group, 1 to 100 users; `nil` for any.
  ///
  /// It replaces ``userIDsIncludeFilter``.
  public var userIDsExactFilter: [String]? {
    get { shared[\.userIDsExactFilter] }
    set { shared[\.userIDsExactFilter] = newValue }
  }

  /// A part of the nickname of a member, ignoring case; `nil` for all.
  public var nicknameContainsFilter: String? {
    get { shared[\.nicknameContainsFilter] }
    set { shared[\.nicknameContainsFilter] = newValue }
  }

  /// A part of the name, ignoring case; `nil` for all.
  public var channelNameContainsFilter: String? {
    get { shared[\.channels.nameContains] }
    set { shared[\.channels.nameContains] = newValue }
  }

  /// The URLs, at most 100; `nil` for all.
  public var channelURLsFilter: [String]? {
    get { shared[\.channels.urls] }
    set { shared[\.channels.urls] = newValue }
  }

  /// The application-defined types; `nil` for all.
  public var customTypesFilter: [String]? {
    get { shared[\.channels.customTypes] }
    set { shared[\.channels.customTypes] = newValue }
  }

  /// The beginning of the application-defined type; `nil` for all.
  public var customTypeStartsWithFilter: String? {
    get { shared[\.channels.customTypePrefix] }
    set { shared[\.channels.customTypePrefix] = newValue }
  }

  /// Whether groups without a message are listed.
  public var includeEmptyChannel: Bool {
    get { shared[\.channels.includeEmpty] }
    set { shared[\.channels.includeEmpty] = newValue }
  }

  /// Whether frozen groups are listed.
  public var includeFrozenChannel: Bool {
    get { shared[\.channels.includeFrozen] }
    set { shared[\.channels.includeFrozen] = newValue }
  }

  /// Whether ``GroupChannel/members`` of the groups are read.
  public var includeMemberList: Bool {
    get { shared[\.channels.includeMembers] }
    set { shared[\.channels.includeMembers] = newValue }
  }

  /// The largest number of items on a page, 1 to 100.
  public var limit: Int {
    get { shared[\.channels.limit] }
    set { shared[\.channels.limit] = newValue }
  }

  /// Creates a query for all groups that are not hidden, 20 on a page, those with the latest messages
  /// first.
  public init() {
    shared = SharedValues(Values())
  }

  /// A snapshot of the current values.
  var values: Values { shared.current }

  /// A snapshot of the values.
  struct Values: Sendable, Hashable {
    var order = GroupChannelListOrder.latestLastMessage
    var myMemberStateFilter = MemberStateFilter.all
    var channelHiddenStateFilter = ChannelHiddenStateFilter.unhiddenOnly
    var unreadChannelFilter = UnreadChannelFilter.all
    var publicChannelFilter = PublicChannelFilter.all
    var distinctChannelFilter = DistinctChannelFilter.all
    var superChannelFilter = SuperChannelFilter.all
    var userIDsIncludeFilter: [String]?
    var queryType = GroupChannelListQueryType.and
    var userIDsExactFilter: [String]?
    var nicknameContainsFilter: String?
    var channels = ListedGroups()

    func write(into writer: inout JSONWriter) {
      if order != .latestLastMessage { writer.member("order", order.rawValue) }
      if myMemberStateFilter != .all { writer.member("member_state", myMemberStateFilter.rawValue) }
      if channelHiddenStateFilter != .unhiddenOnly {
        writer.member("hidden_mode", channelHiddenStateFilter.rawValue)
      }
      if unreadChannelFilter == .unreadMessage { writer.member("unread_only", true) }
      if publicChannelFilter != .all { writer.member("public_mode", publicChannelFilter.rawValue) }
      if distinctChannelFilter != .all {
        writer.member("distinct_mode", distinctChannelFilter.rawValue)
      }
      if superChannelFilter != .all { writer.member("super_mode", superChannelFilter.rawValue) }
      if let userIDsExactFilter {
        writer.member("members_exactly", userIDsExactFilter)
      } else if let userIDsIncludeFilter {
        writer.member(
          "members_include",
          object: {
            $0.member("user_ids", userIDsIncludeFilter)
            $0.member("mode", queryType.rawValue)
          })
      }
      if let nicknameContainsFilter { writer.member("nickname_contains", nicknameContainsFilter) }
      channels.write(into: &writer)
    }
  }
}

/// The filters of a list of all public groups; a group must meet all.
public final class PublicGroupChannelListQueryParams: Sendable {
  private let shared: SharedValues<ListedGroups>

  /// A part of the name, ignoring case; `nil` for all.
  public var channelNameContainsFilter: String? {
    get { shared[\.nameContains] }
    set { shared[\.nameContains] = newValue }
  }

  /// The URLs, at most 100; `nil` for all.
  public var channelURLsFilter: [String]? {
    get { shared[\.urls] }
    set { shared[\.urls] = newValue }
  }

  /// The application-defined types; `nil` for all.
  public var customTypesFilter: [String]? {
    get { shared[\.customTypes] }
    set { shared[\.customTypes] = newValue }
  }

  /// The beginning of the application-defined type; `nil` for all.
  public var customTypeStartsWithFilter: String? {
    get { shared[\.customTypePrefix] }
    set { shared[\.customTypePrefix] = newValue }
  }

  /// Whether groups without a message are listed.
  public var includeEmptyChannel: Bool {
    get { shared[\.includeEmpty] }
    set { shared[\.includeEmpty] = newValue }
  }

  /// Whether frozen groups are listed.
  public var includeFrozenChannel: Bool {
    get { shared[\.includeFrozen] }
    set { shared[\.includeFrozen] = newValue }
  }

  /// Whether ``GroupChannel/members`` are read of groups in which the user is a member.
  public var includeMemberList: Bool {
    get { shared[\.includeMembers] }
    set { shared[\.includeMembers] = newValue }
  }

  /// The largest number of items on a page, 1 to 100.
  public var limit: Int {
    get { shared[\.limit] }
    set { shared[\.limit] = newValue }
  }

  /// Creates a query for all public groups, 20 on a page.
  public init() {
    shared = SharedValues(ListedGroups())
  }

  /// A snapshot of the current values.
  var values: ListedGroups { shared.current }
}
