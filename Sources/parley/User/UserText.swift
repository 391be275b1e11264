internal import ParleyProtocol

/// Users, for people.
enum UserText {
  /// One user with all that is known of it.
  static func lines(ofUser user: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("user", user.text("user_id"))
    fields.add("nickname", user.text("nickname"))
    fields.add("picture", user.text("profile_url"))
    fields.add("state", state(of: user))
    fields.add("last seen", user.time("last_seen_at"))
    fields.add("created", user.timeInSeconds("created_at"))
    if let metadata = user.present("metadata") {
      for (key, value) in metadata.members { fields.add("metadata \(key)", value.string) }
    }
    fields.add("access token", user.text("access_token"))
    return fields.lines()
  }

  /// The columns of a table of users.
  static let columns: [TextTable.Column] = [
    .text("user"), .text("nickname"), .text("state"), .text("last seen"), .text("created"),
  ]

  /// A user in such a table.
  static func row(ofUser user: JSONNode) -> [String] {
    [
      user.text("user_id"), user.text("nickname"), state(of: user), user.time("last_seen_at"),
      user.timeInSeconds("created_at"),
    ]
  }

  private static func state(of user: JSONNode) -> String {
    guard user["is_active"]?.bool != false else { return "deactivated" }
    return user.isTrue("is_online") ? "online" : "offline"
  }
}
