/// Who opens a session, and what it proves that with.
struct SessionCredentials: Sendable, Hashable {
  var userID: String
  /// `nil` where the server asks for none.
  var accessToken: String?
  /// Replaces the stored nickname when given.
  var nickname: String?
  /// Replaces the stored address of a picture when given.
  var profileURL: String?
}
