/// Something that happened in a channel, encoded once for all who are told.
struct ChannelEvent: Sendable {
  /// Who is told.
  enum Audience: Sendable {
    /// Every participant.
    case everyone
    /// Those to whom the throttle shows the message.
    case viewers(of: MessageFacts)
    /// All except those from whom the message was withheld.
    case recipients(ofMessage: Int64)
  }

  /// The notification as a JSON text.
  let payload: [UInt8]
  let audience: Audience
  /// The connection that learns of it by the answer to its request.
  let author: SessionReference?
}

/// What the throttle has to know of a message.
struct MessageFacts: Sendable {
  let id: Int64
  /// Unix milliseconds.
  let createdAt: Int64
  /// `nil` for an admin message.
  let authorID: String?
}
