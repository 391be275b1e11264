import SQLite

/// A token that was issued to a user, with the time for which it holds.
package struct IssuedToken: Sendable, Hashable {
  package var userID: String
  /// Unix milliseconds, the first moment at which it holds no longer; `nil` when it always does.
  package var expiresAt: Int64?
}

extension StoreTransaction {
  /// The access or session token of this hash, if it was issued and holds at a time.
  package func issuedToken(hash: [UInt8], at now: Int64) throws -> IssuedToken? {
    try connection.first(
      """
      SELECT user_id, NULL FROM users INDEXED BY users_by_access_token WHERE access_token_hash = ?1
      UNION ALL
      SELECT user_id, expires_at FROM session_tokens WHERE token_hash = ?1 AND expires_at > ?2
      """, [hash, now]
    ) { IssuedToken(userID: $0[0], expiresAt: $0[1]) }
  }
}

extension WriteTransaction {
  /// Lets a user open sessions with a token until `expiresAt`, beside those that it has.
  ///
  /// A user keeps 100; of more, those that expire first go. Some that have expired, whosever they
  /// are, go too.
  /// - Throws: `StoreError.noUser`.
  package func addSessionToken(
    _ hash: [UInt8], userID: String, expiresAt: Int64, at now: Int64
  ) throws {
    guard try user(userID) != nil else { throw StoreError.noUser(userID) }
    try sweepSessionTokens(at: now)
    try connection.execute(
      "INSERT OR REPLACE INTO session_tokens (token_hash, user_id, expires_at) VALUES (?, ?, ?)",
      [hash, userID, expiresAt])
    try connection.execute(
      """
      DELETE FROM session_tokens WHERE token_hash IN
        (SELECT token_hash FROM session_tokens INDEXED BY session_tokens_by_user WHERE user_id = ?
         ORDER BY expires_at DESC LIMIT -1 OFFSET ?)
      """, [userID, sessionTokensPerUser])
  }

  /// Revokes all session tokens of a user; the access token stays.
  ///
  /// - Returns: How many there were.
  @discardableResult
  package func removeSessionTokens(_ userID: String) throws -> Int {
    try connection.change("DELETE FROM session_tokens WHERE user_id = ?", [userID])
  }

  /// Each new token takes away several old ones, so that they never gather.
  private func sweepSessionTokens(at now: Int64) throws {
    try connection.execute(
      """
      DELETE FROM session_tokens WHERE token_hash IN
        (SELECT token_hash FROM session_tokens INDEXED BY session_tokens_by_expiry
         WHERE expires_at <= ? ORDER BY expires_at LIMIT 100)
      """, [now])
  }
}

/// Most session tokens of one user.
let sessionTokensPerUser = 100
