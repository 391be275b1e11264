internal import ParleyProtocol

/// Whom a mute or ban is for, how long, and why.
struct UserRestriction: Sendable, Hashable {
  let userID: String
  /// `nil` for ten years.
  let seconds: Int?
  let description: String?

  func write(into writer: inout JSONWriter) {
    writer.member("user_id", userID)
    if let seconds { writer.member("seconds", seconds) }
    if let description { writer.member("description", description) }
  }
}
