import FloodControl
import ParleyProtocol

/// The messages that the connections of a user in the channel were shown.
struct ShownMessages {
  /// The last event before those of which they were shown everything that was not withheld.
  let since: Int64
  /// The messages that were withheld from them, as far as recorded.
  let withheldIDs: Set<Int64>
}

/// The throttle for the messages that a connection missed.
///
/// Its window begins empty. But the messages that other connections of the user were shown are shown,
/// and no others of their time; earlier ones are shown only as far as these leave room in the window.
struct RecoveryThrottle {
  /// A shown message, by its time.
  private struct Shown {
    let seq: Int64
    let time: Int64
    /// Whether the message needs room in the window that ends with it.
    let needsRoom: Bool
  }

  /// The window after the messages so far, without unreported withheld messages.
  private(set) var throttle = Throttle()
  /// The messages that are not shown.
  private(set) var withheldIDs: Set<Int64> = []
  /// The withheld messages, as reported to the connection.
  private(set) var withheld: WithheldMessages?
  private let viewer: RecoveredEvents.Viewer
  private let limit: RateLimit
  /// The messages that are or will be shown, in order.
  private var shown: [Shown] = []

  /// - Parameter missed: The messages that the connection missed, in order.
  init(
    _ viewer: RecoveredEvents.Viewer, _ limit: RateLimit,
    beside missed: [(message: Message, seq: Int64)]
  ) {
    self.viewer = viewer
    self.limit = limit
    guard viewer.shown != nil, !limit.isOff else { return }
    for (message, seq) in missed {
      let relation = relation(of: message)
      guard relation != .admin, isKnown(seq) || relation != .others,
        viewer.shown?.withheldIDs.contains(message.id) == false
      else { continue }
      shown.append(Shown(seq: seq, time: message.createdAt, needsRoom: relation == .others))
    }
  }

  /// Decides on the next message.
  mutating func shows(_ message: Message, seq: Int64) -> Bool {
    let relation = relation(of: message)
    if viewer.shown?.withheldIDs.contains(message.id) == true || !leavesRoom(message, seq, relation)
    {
      withhold(message.id)
      return false
    }
    // A message that another connection was shown counts, but needs no room of its own.
    let isDecided = relation == .others && viewer.shown != nil && isKnown(seq)
    let decision = throttle.decide(
      isDecided ? .operatorView : relation, createdAt: message.createdAt, messageID: message.id,
      limit: limit)
    guard decision == .withheld else { return true }
    _ = throttle.takeWithheld()
    withhold(message.id)
    return false
  }

  private mutating func withhold(_ messageID: Int64) {
    withheldIDs.insert(messageID)
    if withheld?.append(messageID) == nil { withheld = WithheldMessages(firstMessageID: messageID) }
  }

  /// Whether other connections were shown everything after an event except withheld messages.
  private func isKnown(_ seq: Int64) -> Bool {
    viewer.shown.map { seq > $0.since } ?? false
  }

  private func relation(of message: Message) -> Throttle.Relation {
    switch message.user?.id {
    case nil: .admin
    case viewer.userID: .own
    default: viewer.isOperator ? .operatorView : .others
    }
  }

  /// Whether the messages that other connections were shown keep their room after an earlier
  /// message, which is shown if it has room itself.
  private mutating func leavesRoom(
    _ message: Message, _ seq: Int64, _ relation: Throttle.Relation
  ) -> Bool {
    guard viewer.shown != nil, !limit.isOff, relation == .others, !isKnown(seq) else { return true }
    let window = limit.windowMilliseconds
    let index = shown.firstIndex { $0.seq > seq } ?? shown.count
    for end in index..<shown.count where shown[end].needsRoom {
      let later = shown[end]
      guard later.time - window < message.createdAt else { break }
      let used = shown[..<end].count { $0.time > later.time - window }
      guard used + 1 < limit.count else { return false }
    }
    guard throttle.shownCount(at: message.createdAt, limit: limit) < limit.count else {
      return true
    }
    shown.insert(Shown(seq: seq, time: message.createdAt, needsRoom: true), at: index)
    return true
  }
}
