/// What a user's token lets it do.
struct TokenGrant: Sendable {
  /// What kind of token a session lives by.
  enum Proof: Sendable, Hashable {
    /// Nobody asked for a token.
    case none
    /// A JSON Web Token.
    case signed
    /// The one access token of the user.
    case accessToken
    /// One of the user's session tokens.
    case sessionToken

    /// Whether the token can only be that of a user who is there.
    var needsAccount: Bool { self == .accessToken || self == .sessionToken }
  }

  let proof: Proof
  /// When it ends, in Unix milliseconds; `nil` when it does not.
  let expiresAt: Int64?
}
