/// A person or program that opens sessions.
package struct User: Sendable, Hashable, Identifiable {
  /// 1 to 80 characters, case-sensitive.
  package var id: String
  /// The name shown to others; empty when none was given.
  package var nickname: String
  /// The address of a picture; empty when none was given.
  package var profileURL: String
  /// Whatever the application keeps with the user.
  package var metadata: [String: String]

  package init(
    id: String, nickname: String = "", profileURL: String = "", metadata: [String: String] = [:]
  ) {
    self.id = id
    self.nickname = nickname
    self.profileURL = profileURL
    self.metadata = metadata
  }
}
