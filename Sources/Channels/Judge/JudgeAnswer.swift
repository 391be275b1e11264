package import ParleyProtocol

/// The answer to a command, with nothing encoded but messages: each door has a shape of its own.
package enum JudgeAnswer: Sendable {
  case done
  indirect case channel(ChannelView)
  case sent(SentMessage)
  indirect case message(Message)
  indirect case changed(ChangedMessage)
  indirect case imposed(ImposedRestriction)
  /// A restriction was lifted, or there was none.
  case lifted(Bool)
}

/// A message that is durable, or published in a channel that keeps none.
///
/// A reference: it passes through several hands, and is large.
package final class SentMessage: Sendable {
  /// The send that made the message.
  package enum Arrival: Sendable {
    case sent
    /// An earlier send with the same `req_id`, known in memory.
    case joined
    /// An earlier send with the same `req_id`, which the log was asked for.
    case repeated
  }

  package let message: Message
  package let seq: Int64
  package let arrival: Arrival
  /// The message as clients see it: encoded once, for the answer and for the event.
  package let encoded: [UInt8]

  init(_ message: Message, seq: Int64, _ arrival: Arrival) {
    self.message = message
    self.seq = seq
    self.arrival = arrival
    encoded = message.encoded()
  }

  private init(_ sent: SentMessage, _ arrival: Arrival) {
    message = sent.message
    seq = sent.seq
    self.arrival = arrival
    encoded = sent.encoded
  }

  /// The properties by which the throttle decides.
  var facts: MessageFacts {
    MessageFacts(id: message.id, createdAt: message.createdAt, authorID: message.user?.id)
  }

  /// The same for a call that repeated the send.
  var joined: SentMessage { SentMessage(self, .joined) }

  /// An estimate of its memory: the message's texts, and the same once more encoded.
  var byteCount: Int { 2 * encoded.count + 1_024 }
}

/// A message after a change, encoded once for the answer and the event.
package struct ChangedMessage: Sendable {
  package let message: Message
  /// The message as clients see it.
  package let encoded: [UInt8]

  init(_ message: Message) {
    self.message = message
    encoded = message.encoded()
  }
}

/// A mute or ban with the user that it is put on.
package struct ImposedRestriction: Sendable, Hashable {
  package let user: User
  package let restriction: Restriction

  package init(user: User, restriction: Restriction) {
    self.user = user
    self.restriction = restriction
  }
}
