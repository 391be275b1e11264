import Basics
import ParleyProtocol

/// The direction of the blocks in a list.
package enum BlockDirection: String, Sendable, CaseIterable {
  /// The users whom a user blocks.
  case byUser = "blocked_by_me"
  /// The users who block a user.
  case ofUser = "blocking_me"
}

/// Lists the users whom a user blocks, or who block it, in the order of their ids.
///
/// Error: `invalidPageToken`.
package struct BlockListing<Encoder: PageEncoder<Account>>: StoreQuery {
  package var userID: String
  package var direction: BlockDirection
  /// Only these users; empty for all.
  package var ids: [String]
  /// 1 to 100.
  package var limit: Int
  /// The token of the page; `nil` or empty for the first page.
  package var token: String?
  package var encoder: Encoder

  package init(
    of userID: String, _ direction: BlockDirection = .byUser, among ids: [String] = [], limit: Int,
    token: String? = nil, as encoder: Encoder
  ) {
    self.userID = userID
    self.direction = direction
    self.ids = ids
    self.limit = limit
    self.token = token
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init { transaction in
      let cursor = PageCursor<String>(of: ["blocks", userID, direction.rawValue] + ids)
      let position = (token ?? "").isEmpty ? "" : cursor.position(in: token ?? "")
      guard let position else { throw StoreError.invalidPageToken }
      let (given, listed, index) = direction.columns
      var rows = Condition("\(given) = ?", [userID])
      rows.require("\(listed) > ?", [position])
      rows.require(listed, isAnyOf: ids)
      var accounts = ReadAhead<String, Account>()
      return try transaction.page(
        "SELECT 1, \(listed) FROM blocks \(index) WHERE \(rows.sql) ORDER BY \(listed)",
        rows.arguments, limit: min(max(limit, 1), 100)
      ) { row, upcoming in
        let id: String = row[1]
        let account = try accounts.item(
          id, upcoming: upcoming.values(1), read: transaction.listedAccounts)
        guard let account else { throw StoreError.noUser(id) }
        return encoder.encode(account)
      } token: { row in
        cursor.token(after: row[1])
      }
    }
  }
}

extension BlockDirection {
  /// The column of the user, that of the users to list, and the index to use.
  fileprivate var columns: (given: String, listed: String, index: StoreStatement) {
    switch self {
    case .byUser: ("user_id", "blocked_id", .primaryKey)
    case .ofUser: ("blocked_id", "user_id", .index("blocks_by_blocked"))
    }
  }
}
