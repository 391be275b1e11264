import GRDB
package import ParleyProtocol

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
    try connection.execute(
      """
      INSERT INTO users (user_id, nickname, profile_url, metadata, created_at)
      VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (user_id) DO UPDATE SET nickname = excluded.nickname,
        profile_url = excluded.profile_url, metadata = excluded.metadata
      """,
      [
        id, user.nickname, user.profileURL, StoredJSON.encodeUnlessEmpty(user.metadata), now,
      ])
    return user
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
      [hash.map(DatabaseBytes.init), userID])
  }

  private func changeUser(
    _ id: String, _ sql: String, _ arguments: Arguments
  ) throws {
    guard try connection.change(sql, arguments) > 0 else { throw StoreError.notFound(.user) }
  }
}
