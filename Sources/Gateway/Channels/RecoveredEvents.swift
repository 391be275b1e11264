import FloodControl
import ParleyProtocol
import Store

/// The events that a participant missed, as far as it would have been shown them.
///
/// Several updates of a message are one event, with its newest state. Updates that are held back
/// at the moment are left out, since they follow as events.
struct RecoveredEvents {
  /// Whole notifications, in order; the last is `channel.throttled` when messages were withheld.
  private(set) var events: [[UInt8]] = []
  /// The participant's window after them, with nothing left to notify it of.
  private(set) var throttle = Throttle()

  /// The messages that it would not have been shown.
  private(set) var withheldIDs: Set<Int64> = []

  init(_ missed: [DurableEvent], viewerID: String, isOperator: Bool, channel: HomeChannel) {
    let lastUpdates = Self.lastUpdates(in: missed)
    for event in missed {
      switch event {
      case .received(let message, let seq):
        guard shows(message, to: viewerID, isOperator, channel.throttleLimit) else { continue }
        events.append(
          EventEncoder.messageReceived(
            channel.origin(at: message.createdAt), seq: seq, message: message.encoded()))
      case .updated(let message, let seq, let timestamp):
        guard lastUpdates[message.id] == seq, !withheldIDs.contains(message.id),
          !channel.updates.holds(message.id)
        else { continue }
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
    guard let withheld = throttle.takeWithheld() else { return }
    events.append(
      EventEncoder.throttled(
        channel.origin(at: channel.now), withheld: withheld.count,
        first: withheld.firstMessageID, last: withheld.lastMessageID))
  }

  /// The `seq` of each message's last update.
  private static func lastUpdates(in missed: [DurableEvent]) -> [Int64: Int64] {
    var seqs: [Int64: Int64] = [:]
    for case .updated(let message, let seq, _) in missed {
      seqs[message.id] = max(seqs[message.id] ?? seq, seq)
    }
    return seqs
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
