/// A message in an event.
///
/// The answer to a request contains the same message as the resulting event. Both use the JSON that is
/// stored here, so that the message is encoded once. A reference type, because messages are large and
/// are passed on several times.
package final class EventMessage: Sendable {
  package let message: Message
  private let encoded: [UInt8]?

  /// Creates a message that is encoded together with its event.
  package init(_ message: Message) {
    self.message = message
    encoded = nil
  }

  /// Creates a message and encodes it immediately.
  package init(encoding message: Message) {
    self.message = message
    encoded = message.encoded()
  }

  /// The same message, encoded.
  package var encodedOnce: EventMessage {
    encoded == nil ? EventMessage(encoding: message) : self
  }

  /// The message as JSON.
  package var json: [UInt8] { encoded ?? message.encoded() }

  /// The number of bytes to reserve for the message.
  var capacity: Int { encoded?.count ?? message.capacity }

  func encode(into writer: inout JSONWriter) {
    if let encoded { writer.value(raw: encoded) } else { message.encode(into: &writer) }
  }
}

extension EventMessage: Hashable {
  package static func == (left: EventMessage, right: EventMessage) -> Bool {
    left.message == right.message
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(message) }
}
