internal import ParleyProtocol

/// The requests about the session and its user.
enum SessionCalls {
  /// How the answer to `session.open` is read; the engine makes the request.
  static let opened = Call<User>(
    "session.open", .once, params: { _ in }, reading: AnswerReader.user(of:))

  static func user(_ userID: String) -> Call<User> {
    Call(
      "user.get", .safe, params: { $0.member("user_id", userID) },
      reading: AnswerReader.user(of:))
  }

  static func updateUser(_ params: UserUpdateParams) -> Call<User> {
    Call("user.update", .once, params: params.write, reading: AnswerReader.user(of:))
  }
}
