internal import ParleyProtocol

/// The order of a list of the user's groups.
public enum GroupChannelListOrder: String, Sendable, Hashable {
  /// Those with the latest messages first.
  case latestLastMessage = "latest_last_message"
  /// Newest groups first.
  case chronological
  /// By name.
  case channelNameAlphabetical = "channel_name_alphabetical"
}

/// The groups to list, by whether the user has hidden them.
public enum ChannelHiddenStateFilter: String, Sendable, Hashable {
  /// Groups that are not hidden.
  case unhiddenOnly = "unhidden_only"
  /// Hidden groups.
  case hiddenOnly = "hidden_only"
  /// Groups that are hidden until the next message.
  case hiddenAllowAutoUnhide = "hidden_allow_auto_unhide"
  /// Archived groups.
  case hiddenPreventAutoUnhide = "hidden_prevent_auto_unhide"
  /// All groups.
  case all
}

/// The groups to list, by their unread messages.
public enum UnreadChannelFilter: Sendable, Hashable {
  /// All groups.
  case all
  /// Groups with unread messages.
  case unreadMessage
}

/// The groups to list, by ``GroupChannel/isPublic``.
public enum PublicChannelFilter: String, Sendable, Hashable {
  /// All groups.
  case all
  /// Public groups.
  case `public`
  /// Private groups.
  case `private`
}

/// The groups to list, by ``GroupChannel/isDistinct``.
public enum DistinctChannelFilter: String, Sendable, Hashable {
  /// All groups.
  case all
  /// Distinct groups.
  case distinct
  /// Other groups.
  case nondistinct
}

/// The groups to list, by ``GroupChannel/isSuper``.
public enum SuperChannelFilter: String, Sendable, Hashable {
  /// All groups.
  case all
  /// Super groups.
  case `super`
  /// Other groups.
  case nonsuper
}

/// The number of users in a list that must be members.
public enum GroupChannelListQueryType: String, Sendable, Hashable {
  /// All of them.
  case and
  /// At least one.
  case or
}

/// The filters of all lists of groups.
struct ListedGroups: Sendable, Hashable {
  var nameContains: String?
  var urls: [String]?
  var customTypes: [String]?
  var customTypePrefix: String?
  var includeEmpty = true
  var includeFrozen = true
  var includeMembers = true
  var limit = 20

  func write(into writer: inout JSONWriter) {
    if let nameContains { writer.member("name_contains", nameContains) }
    if let urls { writer.member("channel_urls", urls) }
    if let customTypes { writer.member("custom_types", customTypes) }
    if let customTypePrefix { writer.member("custom_type_startswith", customTypePrefix) }
    if !includeEmpty { writer.member("show_empty", false) }
    if !includeFrozen { writer.member("show_frozen", false) }
    if includeMembers { writer.member("members_limit", 100) }
    writer.member("limit", limit)
  }
}
