import Channels

/// An event that waits for the end of the turn.
struct QueuedEvent: Sendable {
  /// The recipients of an event.
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
  let author: SessionAddress?
}
