import FloodControl
import ParleyProtocol
import Store

/// What a participant would have been shown of the events that it missed.
struct RecoveredEvents {
  /// Whole notifications, in order.
  private(set) var events: [[UInt8]] = []
  /// The participant's window after them.
  private(set) var throttle = Throttle()

  /// The messages that it would not have been shown.
  private(set) var withheldIDs: Set<Int64> = []

  init(_ missed: [DurableEvent], viewerID: String, isOperator: Bool, channel: HomeChannel) {
    for event in missed {
      switch event {
      case .received(let message, let seq):
        guard shows(message, to: viewerID, isOperator, channel.throttleLimit) else { continue }
        events.append(
          EventEncoder.messageReceived(
            channel.origin(at: message.createdAt), seq: seq, message: message.encoded()))
      case .updated(let message, let seq, let timestamp):
        guard !withheldIDs.contains(message.id) else { continue }
        events.append(
          EventEncoder.messageUpdated(
            channel.origin(at: timestamp), seq: seq, message: message.encoded()))
      case .deleted(let messageID, let seq, let timestamp):
        events.append(
          EventEncoder.messageDeleted(
            channel.origin(at: timestamp), seq: seq, messageID: messageID))
      case .channel(let event):
        if let payload = event.notification(in: channel) { events.append(payload) }
      }
    }
  }

  private mutating func shows(
    _ message: Message, to viewerID: String, _ isOperator: Bool, _ limit: RateLimit
  ) -> Bool {
    let relation: Throttle.Relation =
      switch message.user?.id {
      case nil: .admin
      case viewerID: .own
      default: isOperator ? .operatorView : .others
      }
    let decision = throttle.decide(
      relation, createdAt: message.createdAt, messageID: message.id, limit: limit)
    if decision == .withheld { withheldIDs.insert(message.id) }
    return decision == .shown
  }
}
