internal import ParleyProtocol

/// A person or program that opens sessions.
public struct User: Sendable, Hashable, Identifiable {
  /// 1 to 80 characters, case-sensitive.
  public let userID: String
  /// The name shown to others; empty when none was given.
  public let nickname: String
  /// The address of a picture; empty when none was given.
  public let profileURL: String
  /// Whatever the application keeps with the user; empty for the users of messages, channels and
  /// events: ``ParleyClient/user(id:)`` reads it.
  public let metadata: [String: String]

  /// Makes the value; it is no user of a server by that.
  public init(
    userID: String, nickname: String = "", profileURL: String = "", metadata: [String: String] = [:]
  ) {
    self.userID = userID
    self.nickname = nickname
    self.profileURL = profileURL
    self.metadata = metadata
  }

  init(_ user: ParleyProtocol.User) {
    self.init(
      userID: user.id, nickname: user.nickname, profileURL: user.profileURL,
      metadata: user.metadata)
  }

  /// The same as ``userID``.
  public var id: String { userID }
}
