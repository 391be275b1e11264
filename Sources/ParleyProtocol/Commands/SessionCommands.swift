/// `session.open`: identifies the user of the connection.
package struct SessionOpen: Sendable, Hashable {
  /// Empty when it is absent: allowed only where the app's back end names the user (`auth.mode = hook`).
  package var userID: String
  /// Required unless any user id is accepted without a token (`auth.mode = open`).
  package var accessToken: String?
  /// Replaces the stored nickname when given.
  package var nickname: String?
  /// Replaces the stored URL when given.
  package var profileURL: String?
  /// Whether the session receives the events of the user's groups.
  package var hearsGroups = true
  /// The terms that the app's back end has set.
  package var terms = SessionTerms()

  package init(userID: String, accessToken: String?) {
    self.userID = userID
    self.accessToken = accessToken
  }

  package init(_ parameters: Fields) throws(ServiceError) {
    userID = try parameters.optionalUserID("user_id") ?? ""
    accessToken = try parameters.text("access_token", limit: Limits.accessTokenLength)
    nickname = try parameters.name("nickname", limit: Limits.nicknameLength)
    profileURL = try parameters.webURL("profile_url", limit: Limits.profileURLLength)
    hearsGroups = try parameters.boolean("groups") ?? true
  }
}

/// `session.open` with a ticket: the connection belongs to an observer instead of a user.
package struct SessionObserve: Sendable, Hashable {
  package var ticket: String

  /// - Returns: `nil` without a ticket.
  init?(_ parameters: Fields) throws(ServiceError) {
    guard let ticket = try parameters.text("ticket", limit: Limits.accessTokenLength) else {
      return nil
    }
    self.ticket = ticket
    guard try parameters.string("user_id") == nil else {
      throw ServiceError(
        .combinationNotAcceptable,
        "'ticket' opens the session of an observer, which has no 'user_id'",
        field: "ticket")
    }
  }
}

/// `session.refresh`: replaces a token before it expires.
package struct SessionRefresh: Sendable, Hashable {
  package var accessToken: String

  package init(_ parameters: Fields) throws(ServiceError) {
    accessToken = try parameters.requiredText(
      "access_token", limit: Limits.accessTokenLength)
  }
}

/// `user.get`.
package struct UserGet: Sendable, Hashable {
  package var userID: String

  package init(_ parameters: Fields) throws(ServiceError) {
    userID = try parameters.userID()
  }
}

/// `user.update`; absent values stay unchanged.
package struct UserUpdate: Sendable, Hashable {
  package var nickname: String?
  package var profileURL: String?
  /// An uploaded file, whose address is used for the profile picture.
  package var profileFileID: String?
  /// Replaces all stored metadata.
  package var metadata: [String: String]?

  package init(_ parameters: Fields) throws(ServiceError) {
    nickname = try parameters.name("nickname", limit: Limits.nicknameLength)
    profileURL = try parameters.webURL("profile_url", limit: Limits.profileURLLength)
    profileFileID = try parameters.fileID("profile_file_id", insteadOf: "profile_url")
    metadata = try parameters.userMetadata()
  }
}

/// The creation of a session token over the Platform API.
package struct SessionTokenIssue: Sendable, Hashable {
  /// The lifetime of a token without a given expiry time.
  private static let lifetime: Int64 = 7 * 24 * 60 * 60 * 1000

  /// The expiry time in Unix milliseconds; later than now.
  package var expiresAt: Int64

  package init(_ fields: Fields, at now: Int64) throws(ServiceError) {
    let expiry = try fields.integer("expires_at", in: Limits.timestamps)
    expiresAt = expiry ?? now + Self.lifetime
    guard expiresAt > now else {
      throw .outOfRange("expires_at", expiresAt, now...Limits.timestamps.upperBound)
    }
  }
}

/// `user.preferences`: the caller's choices, after the given ones are changed.
package struct UserPreferences: Sendable, Hashable {
  /// Whether the user joins a group as soon as it is invited; `nil` leaves this as it is.
  package var acceptsInvitations: Bool?
  /// Whether other members of groups learn how far the user has read; `nil` leaves this as it is.
  package var sendsReadReceipts: Bool?

  package init() {}

  package init(_ parameters: Fields) throws(ServiceError) {
    acceptsInvitations = try parameters.boolean("auto_accept_invitations")
    sendsReadReceipts = try parameters.boolean("send_read_receipts")
  }
}
