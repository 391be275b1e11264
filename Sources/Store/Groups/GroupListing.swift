import Basics
import Channels
package import ParleyProtocol
import Search

/// The groups among which a list searches.
package enum GroupSource: Sendable, Hashable {
  /// Those of a user, joined or invited.
  case memberships(ofUser: String)
  /// All public groups, whether the user is a member or not.
  case publicGroups(seenBy: String)
  /// All groups of the deployment.
  case all

  /// The user as whom the groups are seen, if any.
  var viewerID: String? {
    switch self {
    case .memberships(let id), .publicGroups(let id): id
    case .all: nil
    }
  }
}

/// Lists the groups that match a filter.
///
/// Error: `invalidPageToken`.
package struct GroupListing<Encoder: PageEncoder<ListedGroup>>: StoreQuery {
  package var list: GroupList
  package var source: GroupSource
  /// Unix milliseconds.
  package var now: Int64
  package var encoder: Encoder

  package init(_ list: GroupList, of source: GroupSource, at now: Int64, as encoder: Encoder) {
    self.list = list
    self.source = source
    self.now = now
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init { try $0.listGroups(list, of: source, at: now) { encoder.encode($0) } }
  }
}

extension StoreTransaction {
  /// A page of groups; it is shorter when its bytes or its time run out first.
  ///
  /// - Throws: `StoreError.invalidPageToken` for a token of another list.
  func listGroups<Value>(
    _ list: GroupList, of source: GroupSource, at now: Int64,
    _ item: (ListedGroup) throws -> PageItem<Value>
  ) throws -> ListPage<Value> {
    let cursor = PageCursor<GroupPosition>(of: list.fingerprint(of: source))
    let position = (list.token ?? "").isEmpty ? nil : cursor.position(in: list.token ?? "")
    guard position != nil || (list.token ?? "").isEmpty else { throw StoreError.invalidPageToken }
    let (rows, filter) = (source.rows(list, after: position), list.filter.condition(of: source))
    let reading = GroupRowReading(
      viewerID: source.viewerID, memberLimit: list.memberLimit, time: now)
    var groups = ReadAhead<Int64, ListedGroup>()
    return try page(
      """
      SELECT \(filter.flag), \(list.order.key), channels.channel_id FROM \(rows.sql)
      ORDER BY \(list.order.clause)
      """, filter.arguments + rows.arguments, limit: min(max(list.limit, 1), 100)
    ) { row, upcoming in
      let group = try groups.item(row[2], upcoming: upcoming.values(2)) {
        try listedGroups($0, reading)
      }
      guard let group else { throw StoreError.notFound(.channel) }
      return try item(group)
    } token: { row in
      cursor.token(after: GroupPosition(row, order: list.order))
    }
  }
}

extension GroupSource {
  /// The rows to examine, from `channels`, `groups`, and in a user's own list also from `members`.
  fileprivate func rows(_ list: GroupList, after position: GroupPosition?) -> Condition {
    var rows =
      switch self {
      case .memberships(let userID):
        Condition(
          """
          members \(.index("members_by_user")) CROSS JOIN channels CROSS JOIN groups
          WHERE members.user_id = ? AND channels.channel_id = members.channel_id AND groups.channel_id = members.channel_id
          """, [userID])
      case .publicGroups, .all:
        Condition(
          """
          channels \(.index("groups_by_age")) CROSS JOIN groups
          WHERE channels.is_group = 1 AND groups.channel_id = channels.channel_id
          """, [])
      }
    if case .memberships = self, let state = list.filter.state {
      rows.require("members.state = ?", [state.stored])
    }
    switch position {
    case .time(let time, let id):
      rows.require("(\(list.order.key), channels.channel_id) < (?, ?)", [time, id])
    case .name(let name, let id):
      rows.require("(\(list.order.key), channels.channel_id) > (?, ?)", [name, id])
    case nil: break
    }
    return rows
  }
}

extension GroupOrder {
  fileprivate var key: StoreStatement {
    switch self {
    case .latestLastMessage: .greater("channels.last_created_at", "channels.created_at")
    case .chronological: "channels.created_at"
    case .alphabetical: "channels.name_folded"
    }
  }

  fileprivate var clause: StoreStatement {
    switch self {
    case .latestLastMessage, .chronological: "\(key) DESC, channels.channel_id DESC"
    case .alphabetical: "\(key), channels.channel_id"
    }
  }
}

extension GroupFilter {
  /// The condition on the rows to show.
  fileprivate func condition(of source: GroupSource) -> Condition {
    var filter = Condition()
    if case .memberships = source {
      filter.require("NOT \(.isUnwantedInvitation)")
      requireOwnPart(&filter)
      if !showsEmpty {
        filter.require(
          "channels.last_created_at >= members.visible_from AND channels.message_count > 0")
      }
    } else if !showsEmpty {
      filter.require("channels.message_count > 0")
    }
    if case .publicGroups = source { filter.require("groups.is_public = 1") }
    if let isPublic { filter.require("groups.is_public = ?", [isPublic]) }
    if let isDistinct { filter.require("groups.is_distinct = ?", [isDistinct]) }
    if let isSuper { filter.require("groups.is_super = ?", [isSuper]) }
    filter.require("channels.custom_type", isAnyOf: customTypes)
    filter.require("channels.url", isAnyOf: urls)
    if let customTypePrefix {
      filter.require(.begins("channels.custom_type"), [customTypePrefix])
    }
    if let nameContains {
      filter.require(.contains("channels.name_folded"), [nameContains.caseFolded])
    }
    if !showsFrozen { filter.require("channels.is_frozen = 0") }
    if let createdAfter { filter.require("channels.created_at >= ?", [createdAfter]) }
    if let createdBefore { filter.require("channels.created_at <= ?", [createdBefore]) }
    requireMembers(&filter)
    return filter
  }

  private func requireOwnPart(_ filter: inout Condition) {
    switch hidden {
    case .unhiddenOnly: filter.require(.isUnhidden)
    case .hiddenOnly: filter.require("NOT \(.isUnhidden)")
    case .hiddenAllowAutoUnhide:
      filter.require("members.hidden = 1 AND channels.last_ordinal <= members.hidden_ordinal")
    case .hiddenPreventAutoUnhide: filter.require("members.hidden = 2")
    case .all: break
    }
    if isUnreadOnly { filter.require("members.state = 1 AND \(.unreadCount) > 0") }
  }

  private func requireMembers(_ filter: inout Condition) {
    let among: StoreStatement = """
      SELECT count(*) FROM members AS x WHERE x.channel_id = channels.channel_id AND x.user_id \(.isAnyOf)
      """
    switch members {
    case .all(let ids):
      filter.require("(\(among)) = ?", [StoreValue.texts(ids), ids.count])
    case .any(let ids): filter.require("(\(among)) > 0", [StoreValue.texts(ids)])
    case .exactly(let ids):
      filter.require("groups.member_count = ?", [ids.count])
      filter.require("(\(among)) = ?", [StoreValue.texts(ids), ids.count])
    case nil: break
    }
    if let nicknameContains {
      filter.require(
        """
        EXISTS (SELECT 1 FROM members AS x JOIN users AS u ON u.user_id = x.user_id
          WHERE x.channel_id = channels.channel_id AND \(.contains("u.nickname_folded")))
        """, [nicknameContains.caseFolded])
    }
  }
}

extension GroupList {
  /// The list that a token belongs to; the limits may change from page to page.
  fileprivate func fingerprint(of source: GroupSource) -> [String] {
    let members: [String] =
      switch filter.members {
      case .all(let ids): ["all"] + ids
      case .any(let ids): ["any"] + ids
      case .exactly(let ids): ["exactly"] + ids
      case nil: []
      }
    let flags = [
      filter.isUnreadOnly, filter.isPublic, filter.isDistinct, filter.isSuper,
      filter.showsEmpty, filter.showsFrozen,
    ].map { $0.map { $0 ? "1" : "0" } ?? "-" }
    return ["groups", "\(source)", order.rawValue, filter.state?.rawValue ?? "all"]
      + [filter.hidden.rawValue, flags.joined(), filter.customTypePrefix ?? ""]
      + [filter.nameContains ?? "", filter.nicknameContains ?? ""]
      + [filter.createdAfter, filter.createdBefore].map { $0.map(String.init) ?? "" }
      + ["\(filter.customTypes.count) \(filter.urls.count)"] + filter.customTypes + filter.urls
      + members
  }
}

/// The position where a page of groups ended: the value that orders them, then the channel's number.
private enum GroupPosition: PagePosition {
  case time(Int64, id: Int64)
  case name(String, id: Int64)

  init(_ row: StoreRow, order: GroupOrder) {
    switch order {
    case .latestLastMessage, .chronological: self = .time(row[1], id: row[2])
    case .alphabetical: self = .name(row[1], id: row[2])
    }
  }

  var positionBytes: [UInt8] {
    switch self {
    case .time(let time, let id): [0] + time.bigEndianBytes + id.bigEndianBytes
    case .name(let name, let id): [1] + id.bigEndianBytes + Array(name.utf8)
    }
  }

  init?(positionBytes bytes: [UInt8]) {
    let rest = bytes.dropFirst(9)
    guard let kind = bytes.first, let number = Int64(bigEndianBytes: bytes.dropFirst().prefix(8))
    else { return nil }
    if kind == 0, let id = Int64(bigEndianBytes: rest.prefix(8)), rest.count == 8 {
      self = .time(number, id: id)
    } else if kind == 1, let name = String(validating: rest, as: UTF8.self) {
      self = .name(name, id: number)
    } else {
      return nil
    }
  }
}
