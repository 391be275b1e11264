import SQLite

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
