package import ParleyProtocol
import Search

/// Creates a user.
///
/// Error: `exists`.
package struct UserCreation: StoreWrite {
  package var user: User
  /// The hash of the access token issued with the user; `nil` for none.
  package var accessTokenHash: [UInt8]?
  /// Unix milliseconds.
  package var time: Int64

  package init(_ user: User, accessTokenHash: [UInt8]? = nil, at time: Int64) {
    self.user = user
    self.accessTokenHash = accessTokenHash
    self.time = time
  }

  package var statements: WriteStatements<Account> {
    .init {
      let account = try $0.createUser(
        user.id, nickname: user.nickname, profileURL: user.profileURL, metadata: user.metadata,
        at: time)
      if let accessTokenHash { try $0.setAccessTokenHash(accessTokenHash, userID: user.id) }
      return account
    }
  }
}

/// Changes the given fields of a user.
///
/// Error: `noUser`.
package struct UserChange: StoreWrite {
  package var userID: String
  package var nickname: String?
  package var profileURL: String?
  /// Whether the user may open sessions.
  package var isActive: Bool?
  /// Replaces the hash of the access token.
  package var accessTokenHash: [UInt8]?

  package init(
    _ userID: String, nickname: String? = nil, profileURL: String? = nil, isActive: Bool? = nil,
    accessTokenHash: [UInt8]? = nil
  ) {
    self.userID = userID
    self.nickname = nickname
    self.profileURL = profileURL
    self.isActive = isActive
    self.accessTokenHash = accessTokenHash
  }

  package var statements: WriteStatements<Account> {
    .init {
      var account = try $0.updateUser(userID, nickname: nickname, profileURL: profileURL)
      if let isActive {
        if isActive { try $0.activateUser(userID) } else { try $0.deactivateUser(userID) }
        account.isActive = isActive
        if !isActive { try $0.announce(.eviction(userID: userID, .deactivated)) }
      }
      if let accessTokenHash {
        try $0.setAccessTokenHash(accessTokenHash, userID: userID)
        try $0.endFileKeys(of: userID)
        try $0.announce(.eviction(userID: userID, .accessTokenReplaced))
      }
      return account
    }
  }
}

/// Changes the given fields of a user's profile; a missing user is created.
package struct ProfileChange: StoreWrite {
  package struct Outcome: Sendable, Hashable {
    /// The current profile.
    package var user: User
    /// Whether the profile differs from the previous one.
    package var isChanged: Bool
  }

  package var userID: String
  package var nickname: String?
  package var profileURL: String?
  package var metadata: [String: String]?
  /// Unix milliseconds.
  package var time: Int64

  package init(
    _ userID: String, nickname: String? = nil, profileURL: String? = nil,
    metadata: [String: String]? = nil, at time: Int64
  ) {
    self.userID = userID
    self.nickname = nickname
    self.profileURL = profileURL
    self.metadata = metadata
    self.time = time
  }

  package var statements: WriteStatements<Outcome> {
    .init {
      try $0.upsertUser(
        userID, nickname: nickname, profileURL: profileURL, metadata: metadata, at: time)
    }
  }
}

/// Changes the profile of a user who opens a session; a deactivated user is not changed.
package struct ProfileAdoption: StoreWrite {
  /// The treatment of a missing user.
  package enum MissingUser: Sendable {
    case isMade
    case isReported
  }

  package enum Outcome: Sendable, Hashable {
    case adopted(User)
    case deactivated
    /// The user does not exist, and was not created.
    case missing
  }

  package var change: ProfileChange
  package var missingUser: MissingUser

  package init(_ change: ProfileChange, missingUser: MissingUser) {
    self.change = change
    self.missingUser = missingUser
  }

  /// The client waits for its session.
  package var urgency: WriteUrgency { .prompt }

  package var statements: WriteStatements<Outcome> {
    .init {
      switch try $0.account(change.userID)?.isActive {
      case false?: return .deactivated
      case nil where missingUser == .isReported: return .missing
      case true?, nil: return .adopted(try change.statements.run($0).user)
      }
    }
  }
}

/// Records when users were last seen; at most one time a minute is stored, and missing users are
/// skipped.
package struct SeenNotes: StoreWrite {
  /// Unix milliseconds, by user.
  package var moments: [String: Int64]

  package init(_ moments: some Sequence<(key: String, value: Int64)>) {
    self.moments = Dictionary(moments.map { ($0.key, $0.value) }, uniquingKeysWith: max)
  }

  package var statements: WriteStatements<Void> {
    .init { for (userID, moment) in moments { try $0.noteSeen(userID, at: moment) } }
  }
}

extension WriteTransaction {
  /// Changes the given fields of a user, and creates a new user.
  ///
  /// - Parameter now: Unix milliseconds, the creation time of a new user.
  func upsertUser(
    _ id: String, nickname: String? = nil, profileURL: String? = nil,
    metadata: [String: String]? = nil, at now: Int64
  ) throws -> ProfileChange.Outcome {
    func changed(_ stored: User) -> User {
      var user = stored
      if let nickname { user.nickname = nickname }
      if let profileURL { user.profileURL = profileURL }
      if let metadata { user.metadata = metadata }
      return user
    }
    // Most sessions open with the profile that is stored already: its row is then left unchanged.
    if let stored = try user(id), changed(stored) == stored {
      return .init(user: stored, isChanged: false)
    }
    while true {
      if try holdUser(id), let stored = try user(id) {
        let user = changed(stored)
        try save(user)
        return .init(user: user, isChanged: true)
      }
      let user = changed(User(id: id))
      // Another server may have inserted the user first.
      if try insert(user, createdAt: now) { return .init(user: user, isChanged: true) }
    }
  }

  /// Creates a user.
  ///
  /// - Parameter now: Unix milliseconds, its creation time.
  /// - Throws: `StoreError.exists` when a user has this id.
  func createUser(
    _ id: String, nickname: String = "", profileURL: String = "",
    metadata: [String: String] = [:], at now: Int64
  ) throws -> Account {
    let user = User(id: id, nickname: nickname, profileURL: profileURL, metadata: metadata)
    guard try insert(user, createdAt: now) else { throw StoreError.exists }
    return try existingAccount(id)
  }

  /// Changes the given fields of a user.
  ///
  /// - Throws: `StoreError.noUser`.
  func updateUser(
    _ id: String, nickname: String? = nil, profileURL: String? = nil
  ) throws -> Account {
    guard try holdUser(id) else { throw StoreError.noUser(id) }
    var account = try existingAccount(id)
    if let nickname { account.user.nickname = nickname }
    if let profileURL { account.user.profileURL = profileURL }
    try save(account.user)
    return account
  }

  /// Records that a user was present; a time less than a minute after the last recorded one is not
  /// written, so that frequent reconnects cause no disk writes.
  ///
  /// A missing user is skipped.
  func noteSeen(_ id: String, at now: Int64) throws {
    try connection.execute(
      "UPDATE users SET last_seen_at = ?2 WHERE user_id = ?1 AND last_seen_at <= ?2 - ?3",
      [id, now, seenIntervalMilliseconds])
  }

  /// Allows a user to open sessions again.
  func activateUser(_ id: String) throws {
    try changeUser(id, "UPDATE users SET is_active = 1 WHERE user_id = ?", [id])
  }

  /// Prevents a user from opening sessions, ends its file keys and the addresses of its uploads, and forgets
  /// the devices to which its messages are pushed.
  func deactivateUser(_ id: String) throws {
    try changeUser(id, "UPDATE users SET is_active = 0 WHERE user_id = ?", [id])
    try connection.execute("DELETE FROM push_tokens WHERE user_id = ?", [id])
    try endFileKeys(of: id)
    try expireOpenUploads(of: id)
  }

  /// Invalidates all keys with which a user opens files; new keys have another generation.
  func endFileKeys(of id: String) throws {
    try connection.execute(
      """
      UPDATE users SET file_keys_since = \(.greater("file_keys_since", "created_at")) + 1
      WHERE user_id = ?
      """, [id])
  }

  /// Replaces the hash of the issued access token; `nil` revokes it.
  func setAccessTokenHash(_ hash: [UInt8]?, userID: String) throws {
    try changeUser(
      userID, "UPDATE users SET access_token_hash = ? WHERE user_id = ?",
      [hash, userID])
  }

  /// Locks a user's row until the transaction ends, so that another server cannot change the row between
  /// a read and a write.
  ///
  /// - Returns: Whether the user exists.
  private func holdUser(_ id: String) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM users WHERE user_id = ? \(.forUpdate)", [id]
    ) { _ in true } ?? false
  }

  /// - Returns: Whether the user was added; otherwise a user with this id exists already.
  private func insert(_ user: User, createdAt: Int64) throws -> Bool {
    try connection.change(
      """
      INSERT INTO users (user_id, nickname, nickname_folded, profile_url, metadata, created_at)
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (user_id) DO NOTHING
      """,
      [
        user.id, user.nickname, user.nickname.caseFolded, user.profileURL,
        StoredJSON.encodeUnlessEmpty(user.metadata), createdAt,
      ]) > 0
  }

  private func save(_ user: User) throws {
    try connection.execute(
      """
      UPDATE users SET nickname = ?, nickname_folded = ?, profile_url = ?, metadata = ?
      WHERE user_id = ?
      """,
      [
        user.nickname, user.nickname.caseFolded, user.profileURL,
        StoredJSON.encodeUnlessEmpty(user.metadata), user.id,
      ])
  }

  private func existingAccount(_ id: String) throws -> Account {
    guard let account = try account(id) else { throw StoreError.noUser(id) }
    return account
  }

  private func changeUser(
    _ id: String, _ sql: StoreStatement, _ arguments: StoreArguments
  ) throws {
    guard try connection.change(sql, arguments) > 0 else { throw StoreError.noUser(id) }
  }
}

/// Times at which a user or token was seen are written when they are this far apart.
let seenIntervalMilliseconds: Int64 = 60_000
