internal import Basics
internal import ParleyProtocol

/// Formats channels of both kinds as text.
enum ChannelText {
  /// Returns all fields of a channel; those of the other kind are missing in the answer.
  static func lines(ofChannel channel: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("channel", channel.text("channel_url"))
    fields.add("name", channel.text("name"))
    fields.add("custom type", channel.text("custom_type"))
    fields.add("state", state(of: channel))
    fields.add("participants", channel["participant_count"]?.integer.map { String($0) })
    fields.add("members", members(of: channel))
    fields.add("created by", channel.present("created_by")?.text("user_id"))
    fields.add("operators", channel.names("operators"))
    fields.add("cover", channel.text("cover_url"))
    fields.add("data", channel.text("data"))
    fields.add("own time", RetentionText.time(channel["message_survival_seconds"]))
    fields.add("created", channel.timeInSeconds("created_at"))
    MemberText.add(ofUserIn: channel, to: &fields)
    return fields.lines()
  }

  /// The columns of a table of channels.
  static let columns: [TextTable.Column] = [
    .text("channel"), .text("name"), .number("participants"), .text("state"), .text("type"),
    .text("created"),
  ]

  /// Returns a channel's row in that table.
  static func row(ofChannel channel: JSONNode) -> [String] {
    [
      channel.text("channel_url"), channel.text("name"), channel.number("participant_count"),
      state(of: channel), channel.text("custom_type"), channel.timeInSeconds("created_at"),
    ]
  }

  /// The columns of a table of groups.
  static let groupColumns: [TextTable.Column] = [
    .text("group"), .text("name"), .text("members"), .text("state"), .text("type"),
    .text("created"),
  ]

  /// Returns a group's row in that table.
  static func row(ofGroup group: JSONNode) -> [String] {
    [
      group.text("channel_url"), group.text("name"), members(of: group) ?? "",
      state(of: group), group.text("custom_type"), group.timeInSeconds("created_at"),
    ]
  }

  private static func state(of channel: JSONNode) -> String {
    let words = [
      ("is_access_code_required", "access code"), ("is_distinct", "distinct"),
      ("is_super", "super"),
      ("freeze", "frozen"), ("is_ephemeral", "ephemeral"),
    ]
    let access = channel["is_public"]?.bool.map { $0 ? "public" : "private" }
    let states = (access.map { [$0] } ?? []) + words.filter { channel.isTrue($0.0) }.map(\.1)
    let hiding = [
      "hidden_allow_auto_unhide": "hidden", "hidden_prevent_auto_unhide": "archived",
    ][channel.text("hidden_state")]
    let all = states + (hiding.map { [$0] } ?? [])
    return all.isEmpty ? "open" : all.joined(separator: ", ")
  }

  private static func members(of group: JSONNode) -> String? {
    guard let all = group["member_count"]?.integer,
      let joined = group["joined_member_count"]?.integer
    else { return nil }
    return all == joined ? String(all) : "\(joined) joined, \(all - joined) invited"
  }
}
