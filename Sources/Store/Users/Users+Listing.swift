import Basics
import ParleyProtocol
import Search

/// A query for users: newest first, or by nickname when a nickname prefix is given.
package struct UserQuery: Sendable, Hashable {
  /// Any of these; empty for all.
  package var ids: [String]
  /// The whole nickname, case-sensitive.
  package var nickname: String?
  /// The nickname's beginning, ignoring case (in Unicode's sense, independent of language).
  package var nicknamePrefix: String?
  package var activeMode: ActiveMode
  /// 1 to 100.
  package var limit: Int
  /// The token of the page; `nil` or empty for the first page.
  package var token: String?

  /// Which users to show by activation.
  package enum ActiveMode: String, Sendable, CaseIterable {
    case all
    case activated
    case deactivated
  }

  package init(
    ids: [String] = [], nickname: String? = nil, nicknamePrefix: String? = nil,
    activeMode: ActiveMode = .all, limit: Int = 10, token: String? = nil
  ) {
    self.ids = ids
    self.nickname = nickname
    self.nicknamePrefix = nicknamePrefix
    self.activeMode = activeMode
    self.limit = limit
    self.token = token
  }
}

/// Lists the users that match a query.
///
/// Error: `invalidPageToken`.
package struct UserListing<Encoder: PageEncoder<Account>>: StoreQuery {
  package var query: UserQuery
  package var encoder: Encoder

  package init(_ query: UserQuery, as encoder: Encoder) {
    self.query = query
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init { try $0.listUsers(query) { encoder.encode($0) } }
  }
}

extension StoreTransaction {
  /// A page of the users that match a query.
  ///
  /// The page is shorter when its bytes or its time run out first.
  ///
  /// - Throws: `StoreError.invalidPageToken` for a token of another query.
  func listUsers<Value>(
    _ query: UserQuery, _ item: (Account) throws -> PageItem<Value>
  ) throws -> ListPage<Value> {
    let (range, filter) = try query.conditions()
    var accounts = ReadAhead<String, Account>()
    return try page(
      """
      SELECT \(filter.flag), created_at, nickname_folded, user_id FROM users \(query.index)
      WHERE \(range.sql) ORDER BY \(query.order)
      """, filter.arguments + range.arguments, limit: min(max(query.limit, 1), 100)
    ) { row, upcoming in
      let id: String = row[3]
      let account = try accounts.item(id, upcoming: upcoming.values(3), read: listedAccounts)
      guard let account else { throw StoreError.noUser(id) }
      return try item(account)
    } token: { row in
      query.token(createdAt: row[1], nickname: row[2], userID: row[3])
    }
  }
}

extension StoreTransaction {
  /// The accounts of users, by id.
  func listedAccounts(_ ids: [String]) throws -> [String: Account] {
    let (condition, value): (StoreStatement, any StoreArgument) =
      ids.count == 1 ? ("= ?", ids[0]) : (.isAnyOf, StoreValue.texts(ids))
    let found = try connection.all(
      "SELECT \(Account.columns) FROM users WHERE user_id \(condition)", [value]
    ) { try Account(row: $0, connection.fileURL) }
    return Dictionary(found.map { ($0.user.id, $0) }) { first, _ in first }
  }
}

extension UserQuery {
  private var prefix: String? {
    guard let nicknamePrefix, !nicknamePrefix.isEmpty else { return nil }
    return nicknamePrefix.caseFolded
  }

  /// The index to scan, which is named because SQLite, without statistics, may read a whole table.
  fileprivate var index: StoreStatement {
    if !ids.isEmpty { return .primaryKey }
    return prefix == nil && nickname == nil
      ? .index("users_by_age") : .index("users_by_nickname")
  }

  fileprivate var order: String {
    prefix == nil
      ? "created_at DESC, user_id DESC" : "nickname_folded, created_at, user_id"
  }

  /// The name of the list in its tokens.
  private var kind: String {
    switch activeMode {
    case .all: "users"
    case .activated, .deactivated: "\(activeMode.rawValue) users"
    }
  }

  /// The filters that a token is bound to; the limit may change from page to page.
  private var fingerprint: [String] {
    [kind, nickname ?? "", nickname == nil ? "" : "=", prefix ?? ""] + ids
  }

  /// The rows to examine, and the condition on those to show.
  fileprivate func conditions() throws -> (range: Condition, filter: Condition) {
    var range = try prefix.map(beginning) ?? older()
    var filter = Condition()
    if let nickname {
      range.require("nickname_folded = ?", [nickname.caseFolded])
      filter.require("nickname = ?", [nickname])
    }
    range.require("user_id", isAnyOf: ids)
    switch activeMode {
    case .all: break
    case .activated: filter.require("is_active = 1")
    case .deactivated: filter.require("is_active = 0")
    }
    return (range, filter)
  }

  /// Users older than that of the token.
  private func older() throws -> Condition {
    guard let position = try position() else { return Condition("created_at <= ?", [Int64.max]) }
    return Condition("(created_at, user_id) < (?, ?)", [position.createdAt, position.userID])
  }

  /// Nicknames with a prefix, after that of the token.
  private func beginning(_ prefix: String) throws -> Condition {
    var condition = Condition("nickname_folded >= ?", [prefix])
    if let end = prefix.successor { condition.require("nickname_folded < ?", [end]) }
    guard let position = try position() else { return condition }
    condition.require(
      "(nickname_folded, created_at, user_id) > (?, ?, ?)",
      [position.nickname, position.createdAt, position.userID])
    return condition
  }

  fileprivate func token(createdAt: Int64, nickname: String, userID: String) -> String {
    let position = UserPosition(
      createdAt: createdAt, nickname: prefix == nil ? "" : nickname, userID: userID)
    return PageCursor(of: fingerprint).token(after: position)
  }

  private func position() throws -> UserPosition? {
    guard let token, !token.isEmpty else { return nil }
    guard let position = PageCursor<UserPosition>(of: fingerprint).position(in: token) else {
      throw StoreError.invalidPageToken
    }
    return position
  }
}

/// The position where a page of users ended.
///
///     created_at: 8 bytes | nickname | 0 | user id
struct UserPosition: PagePosition {
  let createdAt: Int64
  /// Case-folded; empty when the order does not depend on it.
  let nickname: String
  let userID: String

  init(createdAt: Int64, nickname: String, userID: String) {
    self.createdAt = createdAt
    self.nickname = nickname
    self.userID = userID
  }

  init?(positionBytes bytes: [UInt8]) {
    let names = bytes.dropFirst(8)
    guard let createdAt = Int64(bigEndianBytes: bytes.prefix(8)),
      let end = names.firstIndex(of: 0)
    else { return nil }
    self.createdAt = createdAt
    nickname = String(decoding: names[..<end], as: UTF8.self)
    userID = String(decoding: names[(end + 1)...], as: UTF8.self)
  }

  /// Texts in the database do not contain U+0000, so it can separate them.
  var positionBytes: [UInt8] {
    createdAt.bigEndianBytes + Array(nickname.utf8) + [0] + Array(userID.utf8)
  }
}

extension String {
  /// The smallest text greater than every text with this prefix, in the order of Unicode scalars, which
  /// is that of SQLite; `nil` when there is none.
  var successor: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // After U+D7FF come the surrogates, which are not scalars.
      let value = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let next = Unicode.Scalar(value) else { continue }
      return String(String.UnicodeScalarView(scalars + [next]))
    }
    return nil
  }
}
