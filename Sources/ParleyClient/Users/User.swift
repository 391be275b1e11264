internal import ParleyProtocol

/// A person or program that opens sessions.
public struct User: Sendable, Hashable, Identifiable {
  /// The identifier: 1 to 80 characters, case-sensitive.
  public let userID: String
  /// The display name; empty when none was given.
  public let nickname: String
  /// The address of a picture; empty when none was given.
  public let profileURL: String
  /// Application-defined data of the user; empty for the users of messages, channels and events:
  /// ``ParleyClient/user(id:)`` fetches it.
  public let metadata: [String: String]

  /// Creates a value; this does not create a user on a server.
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

/// A user who is in a channel.
public struct Participant: Sendable, Hashable, Identifiable {
  /// The user.
  public let user: User
  /// Whether the user was an operator of the channel, as far as the client knows.
  public let isOperator: Bool

  /// The user's id.
  public var userID: String { user.userID }
  /// The display name; empty when the user has none.
  public var nickname: String { user.nickname }
  /// The same as ``userID``.
  public var id: String { user.userID }
}

/// Changes of the current user; members that are `nil` keep their values.
public final class UserUpdateParams: Sendable {
  private let shared: SharedValues<Values>

  /// The display name, at most 80 characters.
  public var nickname: String? {
    get { shared[\.nickname] }
    set { shared[\.nickname] = newValue }
  }

  /// The address of a picture, at most 2,048 characters.
  public var profileURL: String? {
    get { shared[\.profileURL] }
    set { shared[\.profileURL] = newValue }
  }

  /// A picture to upload, used instead of ``profileURL``.
  ///
  /// Anyone with its URL can read it.
  public var profileImage: FileContent? {
    get { shared[\.picture] }
    set { shared[\.picture] = newValue }
  }

  /// Replaces all stored metadata; at most 25 items by default.
  public var metadata: [String: String]? {
    get { shared[\.metadata] }
    set { shared[\.metadata] = newValue }
  }

  /// Creates a set of changes.
  public init(
    nickname: String? = nil, profileURL: String? = nil, metadata: [String: String]? = nil
  ) {
    shared = SharedValues(
      Values(nickname: nickname, profileURL: profileURL, metadata: metadata))
  }

  /// A snapshot of the current values.
  var values: Values { shared.current }

  /// A snapshot of the values.
  struct Values: PicturedValues, Hashable {
    var nickname: String?
    var profileURL: String?
    var picture: FileContent?
    var pictureFileID: String?
    var metadata: [String: String]?

    func write(into writer: inout JSONWriter) {
      if let nickname { writer.member("nickname", nickname) }
      if let profileURL { writer.member("profile_url", profileURL) }
      if let pictureFileID { writer.member("profile_file_id", pictureFileID) }
      if let metadata { writer.member("metadata", metadata) }
    }
  }
}
