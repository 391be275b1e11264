import ParleyProtocol

/// The outcome of appending a message.
enum AppendOutcome: Sendable, Hashable {
  /// It is kept, and those of the mentioned that are users, in the order given.
  case stored(seq: Int64, mentionedUsers: [User])
  /// The same request was carried out before, with this result.
  case repeated(Message, seq: Int64)
}
