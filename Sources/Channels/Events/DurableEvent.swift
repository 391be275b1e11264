package import ParleyProtocol

/// An event that a participant who was away may have missed.
package enum DurableEvent: Sendable, Hashable {
  /// The message as it is now.
  case received(Message, seq: Int64)
  /// The message as it is now.
  case updated(Message, seq: Int64, timestamp: Int64)
  case deleted(messageID: Int64, seq: Int64, timestamp: Int64)
  /// Any other: see `RecordedEvent.payload`.
  case channel(RecordedEvent)

  /// Its place in the channel's count.
  package var seq: Int64 {
    switch self {
    case .received(_, let seq), .updated(_, let seq, _), .deleted(_, let seq, _): seq
    case .channel(let event): event.seq
    }
  }
}
