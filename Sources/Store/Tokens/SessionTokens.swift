/// A token issued to a user, with its validity period.
package struct IssuedToken: Sendable, Hashable {
  package var userID: String
  /// Unix milliseconds, the first moment at which it is no longer valid; `nil` when it does not expire.
  package var expiresAt: Int64?
}

extension StoreTransaction {
  /// The access or session token with this hash, if it was issued and is valid at a time.
  func issuedToken(hash: [UInt8], at now: Int64) throws -> IssuedToken? {
    try connection.first(
      """
      SELECT user_id, NULL FROM users \(.index("users_by_access_token")) WHERE access_token_hash = ?1
      UNION ALL
      SELECT user_id, expires_at FROM session_tokens WHERE token_hash = ?1 AND expires_at > ?2
      """, [hash, now]
    ) { IssuedToken(userID: $0[0], expiresAt: $0[1]) }
  }
}

extension WriteTransaction {
  /// Lets a user open sessions with a token until `expiresAt`, in addition to existing tokens.
  ///
  /// A user keeps 100 tokens; beyond that, those that expire first are removed. Some expired tokens of
  /// any users are removed too.
  /// - Throws: `StoreError.noUser`.
  func addSessionToken(
    _ hash: [UInt8], userID: String, expiresAt: Int64, at now: Int64
  ) throws {
    guard try user(userID) != nil else { throw StoreError.noUser(userID) }
    try sweepSessionTokens(at: now)
    try connection.execute(
      """
      INSERT INTO session_tokens (token_hash, user_id, expires_at) VALUES (?, ?, ?)
      ON CONFLICT (token_hash) DO UPDATE
        SET user_id = excluded.user_id, expires_at = excluded.expires_at
      """,
      [hash, userID, expiresAt])
    try connection.execute(
      """
      DELETE FROM session_tokens WHERE token_hash IN
        (SELECT token_hash FROM session_tokens \(.index("session_tokens_by_user"))
         WHERE user_id = ? ORDER BY expires_at DESC LIMIT ? OFFSET ?)
      """, [userID, Int64.max, sessionTokensPerUser])
  }

  /// Revokes all session tokens of a user; the access token stays.
  ///
  /// - Returns: The number of revoked tokens.
  @discardableResult
  func removeSessionTokens(_ userID: String) throws -> Int {
    try connection.change("DELETE FROM session_tokens WHERE user_id = ?", [userID])
  }

  /// Each new token removes several old ones, so that they do not accumulate.
  private func sweepSessionTokens(at now: Int64) throws {
    try connection.execute(
      """
      DELETE FROM session_tokens WHERE token_hash IN
        (SELECT token_hash FROM session_tokens \(.index("session_tokens_by_expiry"))
         WHERE expires_at <= ? ORDER BY expires_at LIMIT 100)
      """, [now])
  }
}

/// Maximum number of session tokens of one user.
let sessionTokensPerUser = 100

/// Finds the user of an access or session token that is valid at a time; `nil` when none is.
package struct IssuedTokenLookup: StoreLookup {
  package var hash: [UInt8]
  /// Unix milliseconds.
  package var time: Int64

  package init(hash: [UInt8], at time: Int64) {
    self.hash = hash
    self.time = time
  }

  package var statements: ReadStatements<IssuedToken?> {
    .init { try $0.issuedToken(hash: hash, at: time) }
  }
}

/// Stores a session token of an active user.
///
/// Error: `noUser`.
package struct SessionTokenCreation: StoreWrite {
  package enum Outcome: Sendable, Hashable {
    case issued
    /// The user is deactivated; the token is not stored.
    case deactivated
  }

  package var hash: [UInt8]
  package var userID: String
  /// Unix milliseconds.
  package var expiresAt: Int64
  /// Unix milliseconds; some of the tokens that have expired by then are removed.
  package var time: Int64

  package init(hash: [UInt8], userID: String, expiresAt: Int64, at time: Int64) {
    self.hash = hash
    self.userID = userID
    self.expiresAt = expiresAt
    self.time = time
  }

  package var statements: WriteStatements<Outcome> {
    .init {
      guard let account = try $0.account(userID) else { throw StoreError.noUser(userID) }
      guard account.isActive else { return .deactivated }
      try $0.addSessionToken(hash, userID: userID, expiresAt: expiresAt, at: time)
      return .issued
    }
  }
}

/// Revokes all session tokens of a user, and reports their number; the access token stays.
///
/// Error: `noUser`.
package struct SessionTokenRevocation: StoreWrite {
  package var userID: String

  package init(userID: String) { self.userID = userID }

  package var statements: WriteStatements<Int> {
    .init {
      guard try $0.user(userID) != nil else { throw StoreError.noUser(userID) }
      let count = try $0.removeSessionTokens(userID)
      try $0.endFileKeys(of: userID)
      try $0.announce(.eviction(userID: userID, .sessionTokensRevoked))
      return count
    }
  }
}
