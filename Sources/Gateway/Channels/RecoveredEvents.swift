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

  /// - Parameter byteLimit: The bytes that the events may hold.
  /// - Returns: `nil` when they hold more.
  init?(
    _ missed: [DurableEvent], viewerID: String, isOperator: Bool, channel: HomeChannel,
    byteLimit: Int
  ) {
    var rest = byteLimit
    for event in missed {
      guard rest >= 0 else { return nil }
      switch event {
      case .received(let message, let seq):
        guard shows(message, to: viewerID, isOperator, channel.throttleLimit) else { continue }
        add(
          EventEncoder.messageReceived(
            channel.origin(at: message.createdAt), seq: seq, message: message.encoded()),
          &rest)
      case .updated(let message, let seq, let timestamp):
        guard !withheldIDs.contains(message.id) else { continue }
        add(
          EventEncoder.messageUpdated(
            channel.origin(at: timestamp), seq: seq, message: message.encoded()),
          &rest)
      case .deleted(let messageID, let seq, let timestamp):
        add(
          EventEncoder.messageDeleted(
            channel.origin(at: timestamp), seq: seq, messageID: messageID),
          &rest)
      case .channel(let event):
        if let payload = event.notification(in: channel) { add(payload, &rest) }
      }
    }
    guard rest >= 0 else { return nil }
  }

  private mutating func add(_ event: [UInt8], _ rest: inout Int) {
    rest -= event.count + 1
    if rest >= 0 { events.append(event) }
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
