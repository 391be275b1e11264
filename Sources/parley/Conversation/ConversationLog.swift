internal import Bytes
internal import ParleyClient

/// What is told of a channel's events, for people.
///
/// Remembers the latest messages, to tell a preview that has arrived from an edited text.
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

  /// Whether a message has been shown lately.
  func hasShown(_ id: Int64) -> Bool { shown[id] != nil }

  /// The lines for a message that is shown for the first time.
  mutating func show(_ message: any BaseMessage) -> [String] {
    remember(message)
    return [lines.line(message)] + lines.card(message)
  }

  /// The lines for an event; none for what needs no telling.
  mutating func lines(of event: OpenChannelEvent) -> [String] {
    switch event {
    case .messageReceived(let message): show(message)
    case .messageUpdated(let message): change(message)
    case .messageDeleted(let id): forget(id)
    case .messagesThrottled(let withheld):
      [notice("+\(withheld.count) more, from \(withheld.firstMessageID) on, were not shown")]
    default: EventNotice.text(event).map { [notice($0)] } ?? []
    }
  }

  /// A line about something else than a message.
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
