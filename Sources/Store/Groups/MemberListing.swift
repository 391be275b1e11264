import Basics
package import Channels
package import ParleyProtocol

/// A member of a group in a list.
package struct ListedMember: Sendable {
  package var member: Member
  /// Whether the user as whom the list is seen blocks the member.
  package var isBlocked: Bool
  /// Whether the member blocks the user as whom the list is seen.
  package var isBlocking: Bool
}

/// Lists the members of a group, in the order in which they became members.
///
/// Error: `invalidPageToken`.
package struct MemberListing<Encoder: PageEncoder<ListedMember>>: StoreQuery {
  /// The store's own number of the channel.
  package var channelID: Int64
  /// `nil` for all members.
  package var state: MemberState?
  package var operatorFilter: MessageQuery.OperatorFilter
  package var activeMode: UserQuery.ActiveMode
  /// The user as whom the members are seen, if any.
  package var viewerID: String?
  /// 1 to 100.
  package var limit: Int
  /// The token of the page; `nil` or empty for the first page.
  package var token: String?
  package var encoder: Encoder

  package init(
    channelID: Int64, state: MemberState? = nil,
    operatorFilter: MessageQuery.OperatorFilter = .all,
    activeMode: UserQuery.ActiveMode = .all, seenBy viewerID: String? = nil,
    limit: Int, token: String?, as encoder: Encoder
  ) {
    self.viewerID = viewerID
    self.channelID = channelID
    self.state = state
    self.operatorFilter = operatorFilter
    self.activeMode = activeMode
    self.limit = limit
    self.token = token
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init {
      try $0.listMembers(
        channelID: channelID, state, operatorFilter, activeMode, seenBy: viewerID, limit: limit,
        token: token
      ) { encoder.encode($0) }
    }
  }
}

extension StoreTransaction {
  /// A page of the members of a group, in the order in which they became members.
  ///
  /// The page is shorter when its bytes or its time run out first.
  ///
  /// - Parameter limit: 1 to 100.
  /// - Throws: `StoreError.invalidPageToken` for a token of another list.
  func listMembers<Value>(
    channelID: Int64, _ state: MemberState? = nil,
    _ operatorFilter: MessageQuery.OperatorFilter = .all,
    _ activeMode: UserQuery.ActiveMode = .all, seenBy viewerID: String? = nil,
    limit: Int, token: String? = nil, _ item: (ListedMember) throws -> PageItem<Value>
  ) throws -> ListPage<Value> {
    let cursor = PageCursor<MemberPosition>(
      of: [
        "members", "\(channelID)", state?.rawValue ?? "all", operatorFilter.rawValue,
        activeMode.rawValue,
      ])
    let position = (token ?? "").isEmpty ? .beginning : cursor.position(in: token ?? "")
    guard let position else { throw StoreError.invalidPageToken }
    var filter = Condition()
    if let state { filter.require("state = ?", [state.stored]) }
    let role: StoreStatement = """
      EXISTS (SELECT 1 FROM channel_operators AS o
        WHERE o.channel_id = members.channel_id AND o.user_id = members.user_id)
      """
    switch operatorFilter {
    case .all: break
    case .operators: filter.require(role)
    case .others: filter.require("NOT \(role)")
    }
    let isActive: StoreStatement = """
      EXISTS (SELECT 1 FROM users AS u WHERE u.user_id = members.user_id AND u.is_active = 1)
      """
    switch activeMode {
    case .all: break
    case .activated: filter.require(isActive)
    case .deactivated: filter.require("NOT \(isActive)")
    }
    var members = ReadAhead<ExactText, ListedMember>()
    return try page(
      """
      SELECT \(filter.flag), added_at, user_id FROM members \(.index("members_by_time"))
      WHERE channel_id = ? AND (added_at, user_id) > (?, ?) ORDER BY added_at, user_id
      """, filter.arguments + [channelID, position.addedAt, position.userID],
      limit: min(max(limit, 1), 100)
    ) { row, upcoming in
      let id: String = row[2]
      let found = try members.item(
        ExactText(id), upcoming: upcoming.values(2).map(ExactText.init)
      ) { try listedMembers($0.map(\.text), channelID: channelID, seenBy: viewerID) }
      guard let found else { throw StoreError.noUser(id) }
      return try item(found)
    } token: { row in
      cursor.token(after: MemberPosition(addedAt: row[1], userID: row[2]))
    }
  }
}

extension StoreTransaction {
  private func listedMembers(
    _ ids: [String], channelID: Int64, seenBy viewerID: String?
  ) throws -> [ExactText: ListedMember] {
    let blocked = try viewerID.map { try self.blocked(by: $0, among: ids) } ?? []
    let blocking = try viewerID.map { try blockers(of: $0, among: ids) } ?? []
    return Dictionary(
      try members(ids, channelID: channelID).map { key, member in
        let listed = ListedMember(
          member: member, isBlocked: blocked.contains(key), isBlocking: blocking.contains(key))
        return (key, listed)
      }
    ) { first, _ in first }
  }
}

/// The position where a page of members ended: the time at which a member was added, then its id.
private struct MemberPosition: PagePosition {
  let addedAt: Int64
  let userID: String

  static let beginning = MemberPosition(addedAt: -1, userID: "")

  init(addedAt: Int64, userID: String) {
    self.addedAt = addedAt
    self.userID = userID
  }

  var positionBytes: [UInt8] { addedAt.bigEndianBytes + Array(userID.utf8) }

  init?(positionBytes bytes: [UInt8]) {
    guard let addedAt = Int64(bigEndianBytes: bytes.prefix(8)),
      let userID = String(validating: bytes.dropFirst(8), as: UTF8.self)
    else { return nil }
    self.init(addedAt: addedAt, userID: userID)
  }
}
