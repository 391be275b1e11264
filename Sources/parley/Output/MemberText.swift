internal import ParleyProtocol

/// Formats the members of groups as text.
enum MemberText {
  /// The columns of a table of members.
  static let columns: [TextTable.Column] = [
    .text("user"), .text("nickname"), .text("state"), .text("role"), .text("picture"),
  ]

  /// Returns a member's row in that table.
  static func row(ofMember member: JSONNode) -> [String] {
    let state = member.text("state")
    return [
      member.text("user_id"), member.text("nickname"),
      member.isTrue("is_muted") ? "\(state), muted" : state, member.text("role"),
      member.text("profile_url"),
    ]
  }

  /// Adds the membership of one user to the fields of a group, if the answer has it.
  static func add(ofUserIn group: JSONNode, to fields: inout FieldList) {
    let muted = group.isTrue("is_muted") ? "muted" : ""
    let states = [group.text("member_state"), group.text("my_role"), muted]
    fields.add("membership", states.filter { !$0.isEmpty }.joined(separator: ", "))
    fields.add("invited", group.time("invited_at"))
    fields.add("invited by", group.present("inviter")?.text("user_id"))
    fields.add("joined", group.timeInSeconds("joined_ts"))
    fields.add("reads from", group.time("ts_message_offset"))
  }
}
