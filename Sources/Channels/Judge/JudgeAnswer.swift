package import ParleyProtocol

/// The answer to a command, with only messages encoded: each interface has its own format.
package enum JudgeAnswer: Sendable {
  case done
  indirect case channel(ChannelInfo)
  indirect case group(GroupAnswer)
  /// The caller's own part in a group.
  indirect case own(OwnMembership)
  /// The same, with a history that has just begun again.
  indirect case historyReset(OwnMembership)
  indirect case receipts(GroupReceipts)
  case sent(SentMessage)
  indirect case message(Message)
  /// A message after a change, encoded once for the answer and the event.
  case changed(EventMessage)
  indirect case imposed(ImposedRestriction)
  /// A restriction was lifted, or there was none.
  case lifted(Bool)
}

/// A durable message, or one published in a channel that does not keep messages.
package struct SentMessage: Sendable {
  /// The send that made the message.
  package enum Arrival: Sendable {
    case sent
    /// An earlier send with the same `req_id`, known in memory.
    case joined
    /// An earlier send with the same `req_id`, found in the log.
    case repeated
  }

  /// Encoded once, for the answer and for the event.
  package let shown: EventMessage
  package let seq: Int64
  package let arrival: Arrival

  init(_ message: Message, seq: Int64, _ arrival: Arrival) {
    self.init(EventMessage(encoding: message), seq: seq, arrival)
  }

  init(_ shown: EventMessage, seq: Int64, _ arrival: Arrival) {
    self.shown = shown.encodedOnce
    self.seq = seq
    self.arrival = arrival
  }

  package var message: Message { shown.message }

  /// The same message for a call that repeated the send.
  var joined: SentMessage { SentMessage(shown, seq: seq, .joined) }

  /// An estimate of its memory: the message's texts, and their encoded form.
  var byteCount: Int { 2 * shown.json.count + 1_024 }
}

/// A mute or ban with its user.
package struct ImposedRestriction: Sendable, Hashable {
  package let user: User
  package let restriction: Restriction

  package init(user: User, restriction: Restriction) {
    self.user = user
    self.restriction = restriction
  }
}
