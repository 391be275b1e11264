import GRDB

extension StoreTransaction {
  /// A page of the users that fit a query; deactivated ones are among them.
  ///
  /// - Throws: `StoreError.invalidPageToken` for a token that is not one of this query.
  package func listUsers(_ query: UserQuery) throws -> UserPage {
    let limit = min(max(query.limit, 1), 100)
    let condition = try query.condition()
    let found = try connection.all(
      """
      SELECT \(Account.columns) FROM users \(query.index) WHERE \(condition.sql)
      ORDER BY \(query.order) LIMIT ?
      """, condition.arguments + [limit + 1], Account.init(row:))
    let page = Array(found.prefix(limit))
    guard found.count > limit, let last = page.last else { return UserPage(users: page, next: "") }
    return UserPage(users: page, next: query.token(after: last))
  }
}

extension UserQuery {
  private var prefix: String? {
    guard let nicknamePrefix, !nicknamePrefix.isEmpty else { return nil }
    return nicknamePrefix.lowercased()
  }

  /// The way to the rows: named, because SQLite, without statistics, may read a whole table.
  fileprivate var index: String {
    if !ids.isEmpty { return "NOT INDEXED" }
    return prefix == nil && nickname == nil
      ? "INDEXED BY users_by_age" : "INDEXED BY users_by_nickname"
  }

  fileprivate var order: String {
    prefix == nil
      ? "created_at DESC, user_id DESC" : "nickname_folded, created_at, user_id"
  }

  /// What a token is bound to; the limit may change from page to page.
  private var fingerprint: [String] {
    ["users", nickname ?? "", nickname == nil ? "" : "=", prefix ?? ""] + ids
  }

  fileprivate func condition() throws -> Condition {
    var condition = try prefix.map(beginning) ?? older()
    if let nickname {
      condition.require("nickname_folded = ? AND nickname = ?", [nickname.lowercased(), nickname])
    }
    try condition.require("user_id", isAnyOf: ids)
    return condition
  }

  /// Older users than the token's.
  private func older() throws -> Condition {
    guard let position = try position() else { return Condition("created_at <= ?", [Int64.max]) }
    return Condition("(created_at, user_id) < (?, ?)", [position.createdAt, position.userID])
  }

  /// Nicknames of a beginning, behind the token's.
  private func beginning(_ prefix: String) throws -> Condition {
    var condition = Condition("nickname_folded >= ?", [prefix])
    if let end = prefix.successor { condition.require("nickname_folded < ?", [end]) }
    guard let position = try position() else { return condition }
    condition.require(
      "(nickname_folded, created_at, user_id) > (?, ?, ?)",
      [position.nickname, position.createdAt, position.userID])
    return condition
  }

  fileprivate func token(after last: Account) -> String {
    let position = prefix == nil ? UserPosition(byAge: last) : UserPosition(byNickname: last)
    return PageToken.encode(position.bytes, query: fingerprint)
  }

  private func position() throws -> UserPosition? {
    guard let token, !token.isEmpty else { return nil }
    return try UserPosition(bytes: PageToken.decode(token, query: fingerprint))
  }
}
