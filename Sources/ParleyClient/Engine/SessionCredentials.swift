/// The user of a session, with the access token.
struct SessionCredentials: Sendable, Hashable {
  var userID: String
  /// `nil` where the server asks for none.
  var accessToken: String?
  /// Replaces the stored nickname when given.
  var nickname: String?
  /// Replaces the stored address of a picture when given.
  var profileURL: String?
}
