internal import Basics
internal import ParleyProtocol

/// Formats channels as text.
enum ChannelText {
  /// Returns all fields of a channel.
  static func lines(ofChannel channel: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("channel", channel.text("channel_url"))
    fields.add("name", channel.text("name"))
    fields.add("custom type", channel.text("custom_type"))
    fields.add("state", state(of: channel))
    fields.add("participants", channel.number("participant_count"))
    fields.add("operators", channel.names("operators"))
    fields.add("cover", channel.text("cover_url"))
    fields.add("data", channel.text("data"))
    fields.add("created", channel.timeInSeconds("created_at"))
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

  private static func state(of channel: JSONNode) -> String {
    let words = [("freeze", "frozen"), ("is_ephemeral", "ephemeral")]
    let states = words.filter { channel.isTrue($0.0) }.map(\.1)
    return states.isEmpty ? "open" : states.joined(separator: ", ")
  }
}
