internal import Bytes
internal import ParleyClient

/// Messages of a conversation, for people.
struct MessageLines {
  let style: TextStyle

  /// Who said what when, in one line.
  func line(_ message: any BaseMessage, note: String = "") -> String {
    let time = style.dim(UnixTime.timeOfDay(message.createdAt))
    let text = DisplayText.shortened(message.message, limit: 5_000)
    return "\(time) \(author(of: message)): \(text)" + (note.isEmpty ? "" : style.dim(" \(note)"))
  }

  /// The name of who sent a message.
  func author(of message: any BaseMessage) -> String {
    guard let sender = message.sender else { return style.yellow("admin") }
    let name = sender.nickname.isEmpty ? sender.userID : sender.nickname
    return style.bold(DisplayText.shortened(name, limit: 80))
  }

  /// The message's preview, if it has one.
  func card(_ message: any BaseMessage) -> [String] {
    message.ogMetaData.map { PreviewCard(style: style).lines($0) } ?? []
  }
}
