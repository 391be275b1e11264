/// A token that was issued to a user, with the time for which it holds.
package struct IssuedToken: Sendable, Hashable {
  package var userID: String
  /// Unix milliseconds, the first moment at which it holds no longer; `nil` when it always does.
  package var expiresAt: Int64?
}
