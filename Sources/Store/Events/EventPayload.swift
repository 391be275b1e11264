import ParleyProtocol

/// The params of channel events, in the wire's words.
enum EventPayload {
  private struct Profile: Encodable {
    var user_id: String
    var nickname: String
    var profile_url: String
    var metadata: [String: String]

    init(_ user: User) {
      user_id = user.id
      nickname = user.nickname
      profile_url = user.profileURL
      metadata = user.metadata
    }
  }

  private struct RestrictionParams: Encodable {
    var user: Profile
    var seconds: Int64
    var description: String
  }

  static func user(_ user: User) throws -> String {
    try StoredJSON.encode(["user": Profile(user)])
  }

  static func operators(_ users: [User]) throws -> String {
    try StoredJSON.encode(["operators": users.map(Profile.init)])
  }

  static func restriction(_ restriction: Restriction, of user: User) throws -> String {
    let duration = restriction.endsAt.subtractingReportingOverflow(restriction.startsAt)
    return try StoredJSON.encode(
      RestrictionParams(
        user: Profile(user),
        seconds: duration.overflow ? .max : max(0, duration.partialValue) / 1_000,
        description: restriction.description))
  }
}
