internal import ParleyProtocol

/// The place that messages are listed around.
public enum MessageAnchor: Sendable, Hashable {
  /// The end of the conversation.
  case now
  /// Unix milliseconds.
  case timestamp(Int64)
  /// A message by its id; one that was deleted stands for its old place.
  case messageID(Int64)

  func write(into writer: inout JSONWriter) {
    switch self {
    case .now: break
    case .timestamp(let time): writer.member("message_ts", time)
    case .messageID(let id): writer.member("message_id", id)
    }
  }
}
