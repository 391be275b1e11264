import ShardMessages

/// What a user's token lets it do.
struct TokenGrant: Sendable {
  let proof: TokenProof
  /// When it ends, in Unix milliseconds; `nil` when it does not.
  let expiresAt: Int64?
}
