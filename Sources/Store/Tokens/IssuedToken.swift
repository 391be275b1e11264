/// What a token that was issued to a user lets it do, and for how long.
package struct IssuedToken: Sendable, Hashable {
  package var userID: String
  /// Unix milliseconds, the first moment at which it holds no longer; `nil` when it always does.
  package var expiresAt: Int64?
}
