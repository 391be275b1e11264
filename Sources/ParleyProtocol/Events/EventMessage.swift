/// A message in an event.
///
/// The answer to a request shows the same message as the event that follows from it. Both take the
/// JSON that is kept here, so that the message is encoded once. A reference: messages are large, and
/// pass through several hands.
package final class EventMessage: Sendable {
  package let message: Message
  private let encoded: [UInt8]?

  /// A message that is encoded where its event is.
  package init(_ message: Message) {
    self.message = message
    encoded = nil
  }

  /// A message that is encoded now.
  package init(encoding message: Message) {
    self.message = message
    encoded = message.encoded()
  }

  /// The message as JSON.
  package var json: [UInt8] { encoded ?? message.encoded() }

  /// Bytes to reserve for the message.
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
