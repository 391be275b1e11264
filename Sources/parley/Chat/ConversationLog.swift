internal import Basics
internal import ParleyClient

/// Formats a channel's events as text.
///
/// Remembers the latest messages to distinguish a new preview from an edited text.
struct ConversationLog {
  private static let capacity = 1_000

  private struct Shown {
    var text: String
    var hasPreview: Bool
  }

  let lines: MessageLines
  private var shown: [Int64: Shown] = [:]
  private var order: [Int64] = []

  init(style: TextStyle) {
    lines = MessageLines(style: style)
  }

  /// Whether a message is among the latest ones shown.
  func hasShown(_ id: Int64) -> Bool { shown[id] != nil }

  /// Returns the lines for a new message.
  mutating func show(_ message: any BaseMessage) -> [String] {
    remember(message)
    return [lines.line(message)] + lines.card(message)
  }

  /// Returns the lines for an event of an open channel; none for events that are not shown.
  mutating func lines(of event: OpenChannelEvent) -> [String] {
    if let shared = GroupChannelEvent(event) { return lines(of: shared) }
    return EventNotice.text(event).map { [notice($0)] } ?? []
  }

  /// Returns the lines for an event of a group; none for events that are not shown.
  mutating func lines(of event: GroupChannelEvent) -> [String] {
    switch event {
    // A message that came while the history was read is in both.
    case .messageReceived(let message): hasShown(message.messageID) ? [] : show(message)
    case .messageUpdated(let message): change(message)
    case .messageDeleted(let id): forget(id)
    case .messagesThrottled(let withheld):
      [notice("+\(withheld.count) more, from \(withheld.firstMessageID) on, were withheld")]
    case .changed, .frozen, .unfrozen, .deleted, .operatorsChanged, .invitationReceived,
      .invitationDeclined, .userJoined, .userLeft, .memberCountChanged, .membershipEnded,
      .unreadMessageCountChanged, .hidden, .unhidden, .readStatusChanged, .deliveryStatusChanged,
      .typingStatusChanged, .userMuted, .userUnmuted, .userBanned, .userUnbanned, .recovered,
      .eventsLost, .dropped:
      EventNotice.text(event).map { [notice($0)] } ?? []
    }
  }

  /// Returns a line that is not a message.
  func notice(_ text: String) -> String {
    lines.style.dim("-- \(DisplayText.shortened(text))")
  }

  private mutating func change(_ message: any BaseMessage) -> [String] {
    let before = shown[message.messageID]
    remember(message)
    let isEdited = before == nil || before?.text != message.message
    let isNewPreview = message.ogMetaData != nil && (isEdited || before?.hasPreview == false)
    let line = isEdited ? [lines.line(message, note: "(edited)")] : []
    return line + (isNewPreview ? lines.card(message) : [])
  }

  private mutating func forget(_ id: Int64) -> [String] {
    shown.removeValue(forKey: id)
    return [notice("message \(id) was deleted")]
  }

  private mutating func remember(_ message: any BaseMessage) {
    let entry = Shown(text: message.message, hasPreview: message.ogMetaData != nil)
    if shown.updateValue(entry, forKey: message.messageID) == nil {
      order.append(message.messageID)
    }
    if order.count > Self.capacity {
      for id in order.prefix(Self.capacity / 2) { shown.removeValue(forKey: id) }
      order.removeFirst(Self.capacity / 2)
    }
  }
}

/// Formats messages of a conversation as text.
struct MessageLines {
  let style: TextStyle

  /// Returns time, author and text of a message as one line.
  func line(_ message: any BaseMessage, note: String = "") -> String {
    let time = style.dim(UnixTime.timeOfDay(message.createdAt))
    let text = DisplayText.shortened(Self.text(of: message), limit: 5_000)
    return "\(time) \(author(of: message)): \(text)" + (note.isEmpty ? "" : style.dim(" \(note)"))
  }

  /// Returns the text of a message, after its file with name, size and address.
  private static func text(of message: any BaseMessage) -> String {
    guard let file = message as? FileMessage else { return message.message }
    let size = file.size > 0 ? ", \(file.size) bytes" : ""
    let text = message.message.isEmpty ? "" : " " + message.message
    return "[\(file.name.isEmpty ? "file" : file.name)\(size)] \(file.plainURL)\(text)"
  }

  /// Returns the name of a message's author.
  func author(of message: any BaseMessage) -> String {
    guard let sender = message.sender else { return style.yellow("admin") }
    let name = sender.nickname.isEmpty ? sender.userID : sender.nickname
    return style.bold(DisplayText.shortened(name, limit: 80))
  }

  /// Returns the lines of the message's preview; none without a preview.
  func card(_ message: any BaseMessage) -> [String] {
    message.ogMetaData.map { PreviewCard(style: style).lines($0) } ?? []
  }
}

/// Formats a link preview as a card of text.
struct PreviewCard {
  private static let width = 72

  let style: TextStyle

  /// Returns title, description, picture and URL, each as one line.
  func lines(_ preview: OGMetaData) -> [String] {
    let title = preview.title.map { style.bold(fit($0)) }
    let image = preview.defaultImage.flatMap(picture)
    let address = preview.url.map { style.dim(fit($0)) }
    let parts = [title, preview.desc.map(fit), image, address].compactMap { $0 }
    return parts.map { "      \(style.cyan("│")) \($0)" }
  }

  private func picture(_ image: OGImage) -> String? {
    guard let url = image.url else { return nil }
    let size = image.width > 0 && image.height > 0 ? " \(image.width)×\(image.height)" : ""
    return style.dim(fit("picture\(size): \(image.alt ?? url)"))
  }

  private func fit(_ text: String) -> String {
    DisplayWidth.fit(DisplayText.shortened(text, limit: 400), into: Self.width)
  }
}
