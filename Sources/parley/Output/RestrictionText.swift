internal import Basics
internal import ParleyProtocol

/// Formats bans and mutes as text.
enum RestrictionText {
  /// The columns of a table of restrictions.
  static let columns: [TextTable.Column] = [
    .text("user"), .text("nickname"), .text("state"), .text("until"), .text("reason"),
  ]

  /// Returns a restriction's row in that table.
  static func row(_ entry: JSONNode, _ kind: RestrictionOption) -> [String] {
    // A ban has its user as a member; a mute is its user with more members.
    let user = entry.present("user") ?? entry
    return [
      user.text("user_id"), user.text("nickname"), kind.past, entry.time("end_at"),
      entry.text("description"),
    ]
  }

  /// The columns of a table of restrictions in all channels.
  static let placedColumns: [TextTable.Column] = [
    .text("user"), .text("state"), .text("channel"), .text("since"), .text("until"),
    .text("reason"),
  ]

  /// Returns a restriction's row in that table.
  static func placedRow(_ entry: JSONNode) -> [String] {
    let kind = RestrictionOption(rawValue: entry.text("kind"))
    return [
      entry.present("user")?.text("user_id") ?? "", kind?.past ?? "", entry.text("channel_url"),
      entry.time("start_at"), entry.time("end_at"), entry.text("description"),
    ]
  }

  /// Returns all fields of a restriction.
  static func lines(
    _ entry: JSONNode, _ kind: RestrictionOption, of target: RestrictionTarget
  )
    -> [String]
  {
    var fields = FieldList()
    fields.add("user", target.user)
    fields.add("nickname", entry.present("user")?.text("nickname"))
    fields.add("channel", target.channel.url)
    let isInForce = kind == .ban || entry.isTrue("is_muted")
    fields.add("state", isInForce ? kind.past : "not \(kind.past)")
    fields.add("since", entry.time("start_at"))
    fields.add("until", entry.time("end_at"))
    if let rest = entry["remaining_duration"]?.integer, rest > 0 {
      fields.add("remaining", Milliseconds.inWords(rest))
    }
    fields.add("reason", entry.text("description"))
    return fields.lines()
  }
}
