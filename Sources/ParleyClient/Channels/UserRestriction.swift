internal import ParleyProtocol

/// A mute or ban: its user, duration and reason.
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
