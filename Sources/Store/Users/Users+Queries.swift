package import ParleyProtocol

/// A user with the data that only the server knows.
package struct Account: Sendable, Hashable {
  package var user: User
  /// `false` for a deactivated user, who may not open sessions.
  package var isActive: Bool
  /// The hash of the access token issued by the Platform API; `nil` when it issued none.
  package var accessTokenHash: [UInt8]?
  /// Unix milliseconds.
  package var createdAt: Int64
  /// Unix milliseconds, accurate to a minute; 0 when the user was never seen.
  package var lastSeenAt: Int64
  /// The generation of the user's keys for opening files: the time from which the keys are valid, in
  /// Unix milliseconds.
  ///
  /// It grows when the user is deactivated, recreated or loses tokens.
  package var fileKeysSince: Int64
}

/// Reads a user with the data that only the server knows; `nil` when there is none.
package struct AccountLookup: StoreLookup {
  package var userID: String

  package init(_ userID: String) { self.userID = userID }

  package var statements: ReadStatements<Account?> { .init { try $0.account(userID) } }
}

/// Finds the deactivated users among the given ones.
package struct DeactivatedUsers: StoreLookup {
  package var ids: Set<String>

  package init(among ids: Set<String>) { self.ids = ids }

  package var statements: ReadStatements<Set<String>> {
    .init { try $0.deactivatedUsers(among: ids) }
  }
}

/// Finds the existing users among the given ones, in the order given.
package struct ExistingUsers: StoreLookup {
  package var ids: [String]

  package init(among ids: [String]) { self.ids = ids }

  package var statements: ReadStatements<[String]> {
    .init { transaction in
      guard !ids.isEmpty else { return [] }
      let found = try transaction.connection.all(
        "SELECT user_id FROM users WHERE user_id \(.isAnyOf)", [StoreValue.texts(ids)]
      ) { ExactText($0[0]) }
      let known = Set(found)
      return ids.filter { known.contains(ExactText($0)) }
    }
  }
}

extension StoreTransaction {
  /// The user with this id, if it exists.
  func user(_ id: String) throws -> User? {
    try connection.first(
      "SELECT \(User.columns) FROM users WHERE user_id = ?", [id]
    ) { try User(row: $0, connection.fileURL) }
  }

  /// The existing users among the given ones, by id.
  func users(_ ids: some Collection<String>) throws -> [String: User] {
    guard !ids.isEmpty else { return [:] }
    let found = try connection.all(
      "SELECT \(User.columns) FROM users WHERE user_id \(.isAnyOf)", [StoreValue.texts(Array(ids))]
    ) { try User(row: $0, connection.fileURL) }
    return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
  }

  /// The existing users among the given ones, with their states.
  func listedUsers(_ ids: Set<String>) throws -> [ListedUser] {
    let (condition, value): (StoreStatement, any StoreArgument) =
      ids.count == 1 ? ("= ?", ids.first ?? "") : (.isAnyOf, StoreValue.texts(Array(ids)))
    return try connection.all(
      "SELECT \(User.columns), is_active FROM users WHERE user_id \(condition)", [value]
    ) { ListedUser(user: try User(row: $0, connection.fileURL), isActive: $0[4]) }
  }

  /// The user with the data that only the server knows.
  func account(_ id: String) throws -> Account? {
    try connection.first(
      "SELECT \(Account.columns) FROM users WHERE user_id = ?", [id]
    ) { try Account(row: $0, connection.fileURL) }
  }

  /// The existing users among the given ones that are deactivated.
  func deactivatedUsers(among ids: Set<String>) throws -> Set<String> {
    guard !ids.isEmpty else { return [] }
    return Set(try listedUsers(ids).filter { !$0.isActive }.map(\.user.id))
  }
}

/// A user, and whether it is active.
struct ListedUser {
  var user: User
  var isActive: Bool
}

extension User {
  static let columns: StoreStatement =
    "users.user_id, users.nickname, \(PictureAddress.ofUser), users.metadata"

  /// From `columns`.
  ///
  /// - Parameter first: The place of the first of the columns.
  init(row: StoreRow, _ fileURL: StoreOptions.FileURL, from first: Int = 0) throws {
    let metadata: String? = row[first + 3]
    self.init(
      id: row[first], nickname: row[first + 1],
      profileURL: PictureAddress.shown(row[first + 2], fileURL),
      metadata: try metadata.map { try StoredJSON.decode([String: String].self, from: $0) } ?? [:])
  }
}

extension Account {
  static let columns: StoreStatement = """
    \(User.columns), is_active, access_token_hash, created_at, last_seen_at, file_keys_since
    """

  /// From `columns`.
  init(row: StoreRow, _ fileURL: StoreOptions.FileURL) throws {
    self.init(
      user: try User(row: row, fileURL), isActive: row[4], accessTokenHash: row[5],
      createdAt: row[6], lastSeenAt: row[7], fileKeysSince: max(row[6], row[8]))
  }
}
