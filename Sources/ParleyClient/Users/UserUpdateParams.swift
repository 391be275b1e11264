internal import ParleyProtocol

/// Changes of the current user; members that are `nil` keep their values.
public struct UserUpdateParams: Sendable, Hashable {
  /// The name shown to others, at most 80 characters.
  public var nickname: String?
  /// The address of a picture, at most 2,048 characters.
  public var profileURL: String?
  /// Replaces all that was kept; at most 25 items.
  public var metadata: [String: String]?

  /// Names what is to change.
  public init(
    nickname: String? = nil, profileURL: String? = nil, metadata: [String: String]? = nil
  ) {
    self.nickname = nickname
    self.profileURL = profileURL
    self.metadata = metadata
  }

  func write(into writer: inout JSONWriter) {
    if let nickname { writer.member("nickname", nickname) }
    if let profileURL { writer.member("profile_url", profileURL) }
    if let metadata { writer.member("metadata", metadata) }
  }
}
