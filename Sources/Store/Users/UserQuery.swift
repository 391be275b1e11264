/// Which users to list: newest first, or by nickname when its beginning is asked for.
package struct UserQuery: Sendable, Hashable {
  /// Any of these; empty for all.
  package var ids: [String]
  /// The whole nickname, case-sensitive.
  package var nickname: String?
  /// The nickname's beginning, ignoring case (in Unicode's sense, independent of language).
  package var nicknamePrefix: String?
  /// 1 to 100.
  package var limit: Int
  /// Where the last page ended; `nil` or empty for the first page.
  package var token: String?

  package init(
    ids: [String] = [], nickname: String? = nil, nicknamePrefix: String? = nil, limit: Int = 10,
    token: String? = nil
  ) {
    self.ids = ids
    self.nickname = nickname
    self.nicknamePrefix = nicknamePrefix
    self.limit = limit
    self.token = token
  }
}
