/// A message in an event.
///
/// The answer to a request contains the same message as the resulting event. Both use the JSON that is
/// stored here, so that the message is encoded once. A reference type, because messages are large and
/// are passed on several times.
package final class EventMessage: Sendable {
  package let message: Message
  private let encoded: [UInt8]?
  /// The mentions of a message of a group before the change that the event is about.
  package let former: FormerMentions?

  /// Creates a message that is encoded together with its event.
  package init(_ message: Message) {
    self.message = message
    encoded = nil
    former = nil
  }

  /// Creates a message and encodes it immediately.
  ///
  /// - Parameter former: The mentions before the change of a message, if these have changed.
  package init(encoding message: consuming Message, former: FormerMentions? = nil) {
    self.former = former
    encoded = message.encoded()
    // Moved, since messages are large.
    self.message = message
  }

  /// The same message, encoded.
  package var encodedOnce: EventMessage {
    encoded == nil ? EventMessage(encoding: message) : self
  }

  /// The message as JSON.
  package var json: [UInt8] { encoded ?? message.encoded() }

  /// The number of bytes to reserve for the message.
  var capacity: Int { encoded?.count ?? message.capacity }

  /// Writes the message, and what was true before its change.
  func encodeMembers(into writer: inout JSONWriter) {
    writer.name("message")
    encode(into: &writer)
    guard let former else { return }
    writer.name("former_mentions")
    writer.object { former.mentions?.encode(into: &$0) }
  }

  func encode(into writer: inout JSONWriter) {
    if let encoded { writer.value(raw: encoded) } else { message.encode(into: &writer) }
  }
}

extension EventMessage: Hashable {
  package static func == (left: EventMessage, right: EventMessage) -> Bool {
    left.message == right.message && left.former == right.former
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(message) }
}

/// The mentions of a message before a change of them.
package struct FormerMentions: Sendable, Hashable {
  /// `nil` if the message mentioned no one.
  package var mentions: MessageMentions?

  package init(_ mentions: MessageMentions?) { self.mentions = mentions }

  /// - Returns: `nil` if a change has left the mentions as they were, or the message has no ordinal.
  package init?(from former: Message, to changed: Message) {
    let mentions = MessageMentions(of: former)
    guard former.ordinal ?? 0 > 0, mentions != MessageMentions(of: changed) else { return nil }
    self.mentions = mentions
  }
}
