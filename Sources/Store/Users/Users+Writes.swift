package import ParleyProtocol
import SQLite

extension WriteTransaction {
  /// Changes what is given of a user, who is created when new.
  ///
  /// - Parameter now: Unix milliseconds, the creation time of a new user.
  package func upsertUser(
    _ id: String, nickname: String? = nil, profileURL: String? = nil,
    metadata: [String: String]? = nil, at now: Int64
  ) throws -> User {
    let stored = try user(id)
    var user = stored ?? User(id: id)
    if let nickname { user.nickname = nickname }
    if let profileURL { user.profileURL = profileURL }
    if let metadata { user.metadata = metadata }
    guard user != stored else { return user }
    try save(user, createdAt: now)
    return user
  }

  /// Makes a user.
  ///
  /// - Parameter now: Unix milliseconds, its creation time.
  /// - Throws: `StoreError.exists` when there is one of this id.
  package func createUser(
    _ id: String, nickname: String = "", profileURL: String = "",
    metadata: [String: String] = [:], at now: Int64
  ) throws -> Account {
    guard try user(id) == nil else { throw StoreError.exists }
    let user = User(id: id, nickname: nickname, profileURL: profileURL, metadata: metadata)
    try save(user, createdAt: now)
    return try existingAccount(id)
  }

  /// Changes what is given of a user.
  ///
  /// - Throws: `StoreError.noUser`.
  package func updateUser(
    _ id: String, nickname: String? = nil, profileURL: String? = nil
  ) throws -> Account {
    var account = try existingAccount(id)
    if let nickname { account.user.nickname = nickname }
    if let profileURL { account.user.profileURL = profileURL }
    try save(account.user, createdAt: account.createdAt)
    return account
  }

  /// Notes that a user was there; a moment less than a minute after the last one noted is not
  /// written, so that coming and going costs no disk.
  ///
  /// A user that there is not is passed over.
  package func noteSeen(_ id: String, at now: Int64) throws {
    try connection.execute(
      "UPDATE users SET last_seen_at = ?2 WHERE user_id = ?1 AND last_seen_at <= ?2 - ?3",
      [id, now, seenIntervalMilliseconds])
  }

  /// Lets a user open sessions again.
  package func activateUser(_ id: String) throws {
    try changeUser(id, "UPDATE users SET is_active = 1 WHERE user_id = ?", [id])
  }

  /// Keeps a user from opening sessions.
  package func deactivateUser(_ id: String) throws {
    try changeUser(id, "UPDATE users SET is_active = 0 WHERE user_id = ?", [id])
  }

  /// Replaces the hash of the issued access token; `nil` revokes it.
  package func setAccessTokenHash(_ hash: [UInt8]?, userID: String) throws {
    try changeUser(
      userID, "UPDATE users SET access_token_hash = ? WHERE user_id = ?",
      [hash, userID])
  }

  func save(_ user: User, createdAt: Int64) throws {
    try connection.execute(
      """
      INSERT INTO users (user_id, nickname, nickname_folded, profile_url, metadata, created_at)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (user_id) DO UPDATE SET nickname = excluded.nickname,
        nickname_folded = excluded.nickname_folded, profile_url = excluded.profile_url,
        metadata = excluded.metadata
      """,
      [
        user.id, user.nickname, user.nickname.caseFolded, user.profileURL,
        StoredJSON.encodeUnlessEmpty(user.metadata), createdAt,
      ])
  }

  private func existingAccount(_ id: String) throws -> Account {
    guard let account = try account(id) else { throw StoreError.noUser(id) }
    return account
  }

  private func changeUser(
    _ id: String, _ sql: String, _ arguments: Arguments
  ) throws {
    guard try connection.change(sql, arguments) > 0 else { throw StoreError.noUser(id) }
  }
}

/// Moments at which a user or token was noticed are written when they are this far apart.
let seenIntervalMilliseconds: Int64 = 60_000
