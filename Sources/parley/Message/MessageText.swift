internal import Bytes
internal import ParleyProtocol

/// Messages, for people.
enum MessageText {
  /// One message with all that is known of it.
  static func lines(ofMessage message: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("message", message.number("message_id"))
    fields.add("channel", message.text("channel_url"))
    fields.add("type", message.text("type"))
    fields.add("from", author(of: message))
    fields.add("sent", message.time("created_at"))
    fields.add("edited", message.time("updated_at"))
    fields.add("custom type", message.text("custom_type"))
    fields.add("mentions", message.names("mentioned_users"))
    fields.add("text", message.text("message"))
    fields.add("file", message["file"]?.text("name"))
    fields.add("file at", message["file"]?.text("url"))
    fields.add("data", message.text("data"))
    for array in message.list("sorted_metaarray") {
      fields.add(
        array.text("key"), array.list("value").compactMap(\.string).joined(separator: ", "))
    }
    fields.add("preview", message["og_tag"]?.text("og:title"))
    fields.add("preview of", message["og_tag"]?.text("og:url"))
    return fields.lines()
  }

  /// Messages, one a line.
  static func lines(ofPage page: JSONNode) -> [String] {
    let lines = page.list("messages").map(line(ofMessage:))
    return lines.isEmpty ? ["no messages"] : lines
  }

  /// One message in one line.
  static func line(ofMessage message: JSONNode) -> String {
    let style = TextStyle.standard
    let head = "\(message.time("created_at"))  \(message.number("message_id"))"
    let edited = message.time("updated_at").isEmpty ? "" : style.dim(" (edited)")
    let author = style.bold(DisplayText.shortened(author(of: message), limit: 80))
    let said = DisplayText.shortened(message.text("message"), limit: 5_000)
    let file = DisplayText.shortened(message["file"]?.text("url") ?? "", limit: 2_048)
    let text = [said, file].filter { !$0.isEmpty }.joined(separator: "  ")
    return "\(style.dim(head))  \(author): \(text)\(edited)"
  }

  private static func author(of message: JSONNode) -> String {
    guard let user = message.present("user") else { return "(admin)" }
    let name = user.text("nickname")
    return name.isEmpty ? user.text("user_id") : "\(name) (\(user.text("user_id")))"
  }
}
