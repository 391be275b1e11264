internal import ParleyProtocol

/// The requests about blocked users.
enum BlockCalls {
  static func block(_ userID: String) -> Call<Void> { change("user.block", userID) }

  static func unblock(_ userID: String) -> Call<Void> { change("user.unblock", userID) }

  static func blocked(_ limit: Int, _ token: String?) -> Call<LoadedPage<User>> {
    Call(
      "user.blocked", .safe,
      params: {
        $0.member("limit", limit)
        if let token { $0.member("token", token) }
      },
      reading: { (node: JSONNode) throws(ParleyError) in
        LoadedPage(
          items: try AnswerReader.users("users", of: node),
          next: try AnswerReader.text("next", of: node))
      })
  }

  private static func change(_ method: String, _ userID: String) -> Call<Void> {
    Call(
      method, .safe, params: { $0.member("user_id", userID) },
      reading: { (_: JSONNode) throws(ParleyError) in })
  }
}
