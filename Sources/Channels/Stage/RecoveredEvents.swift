import FloodControl
import ParleyProtocol

/// The events that a participant missed, as far as the participant would have been shown them.
///
/// Several updates of a message are one event with its newest state, which its arrival also shows.
/// Of a deleted message only the deletion remains. Updates that are currently held back are left
/// out, since they follow as events.
struct RecoveredEvents {
  /// Complete notifications, in order; the last is `channel.throttled` if messages were withheld.
  private(set) var events: [[UInt8]] = []
  private var decisions: RecoveryThrottle

  /// The participant who missed the events.
  struct Viewer {
    let userID: String
    let isOperator: Bool
    /// The last event that the participant received.
    let seq: Int64
    /// The maximum size of the events.
    let byteLimit: Int
    /// The part of a group's past that the participant may see.
    var history = VisibleHistory.whole
    /// The messages that other connections of the participant were shown, if any.
    var shown: ShownMessages?
  }

  /// The participant's window after the events, without unreported withheld messages.
  var throttle: Throttle { decisions.throttle }

  /// The messages that the participant would not have been shown.
  var withheldIDs: Set<Int64> { decisions.withheldIDs }

  /// - Parameters:
  ///   - missed: The events, in order.
  ///   - viewer: The participant who missed them.
  ///   - channel: The channel as it is now.
  ///   - limit: The throttle's limit.
  ///   - now: Unix milliseconds.
  ///   - isHeld: Whether an update of a message is currently held back.
  /// - Returns: `nil` if the events exceed the viewer's limit.
  init?(
    _ missed: [DurableEvent], for viewer: Viewer, in channel: ChannelInfo, limit: RateLimit,
    at now: Int64, isHeld: (Int64) -> Bool
  ) {
    let missed = missed.filter(viewer.history.contains)
    let (lastUpdates, deletedIDs) = (Self.lastUpdates(in: missed), Self.deletedIDs(in: missed))
    decisions = RecoveryThrottle(
      viewer, limit,
      beside: missed.compactMap { event in
        guard case .received(let message, let seq) = event, !deletedIDs.contains(message.id)
        else { return nil }
        return (message, seq)
      })
    var rest = viewer.byteLimit
    for event in missed {
      guard rest >= 0 else { return nil }
      var shown = event
      switch event {
      case .received(let arrived, let seq):
        let message = lastUpdates[arrived.id]?.message ?? arrived
        guard !deletedIDs.contains(message.id), decisions.shows(message, seq: seq) else {
          continue
        }
        shown = .received(message, seq: seq)
      case .updated(let message, let seq, _):
        guard lastUpdates[message.id]?.seq == seq, !deletedIDs.contains(message.id),
          !withheldIDs.contains(message.id), !isHeld(message.id)
        else { continue }
      case .deleted(let deletion, let seq, let timestamp):
        shown = .deleted(deletion.shown(after: viewer.seq), seq: seq, timestamp: timestamp)
      case .channel: break
      }
      if let notification = shown.notification(in: channel) { add(notification, &rest) }
    }
    if let withheld = decisions.withheld {
      let origin = EventOrigin(channelURL: channel.channel.url, timestamp: now)
      add(Event.throttled(Event.Throttling(withheld)).notification(from: origin), &rest)
    }
    guard rest >= 0 else { return nil }
  }

  private mutating func add(_ event: [UInt8], _ rest: inout Int) {
    rest -= event.count + 1
    if rest >= 0 { events.append(event) }
  }

  /// Each message's last update.
  ///
  /// An update may come from a later read than the arrival, which shows the message as of its own read.
  static func lastUpdates(
    in missed: [DurableEvent]
  ) -> [Int64: (message: Message, seq: Int64)] {
    var updates: [Int64: (message: Message, seq: Int64)] = [:]
    for case .updated(let message, let seq, _) in missed
    where seq >= updates[message.id]?.seq ?? seq {
      updates[message.id] = (message, seq)
    }
    return updates
  }

  private static func deletedIDs(in missed: [DurableEvent]) -> Set<Int64> {
    var ids: Set<Int64> = []
    for case .deleted(let deletion, _, _) in missed { ids.insert(deletion.messageID) }
    return ids
  }
}

extension Event.Throttling {
  init(_ messages: WithheldMessages) {
    self.init(
      withheld: messages.count, firstMessageID: messages.firstMessageID,
      lastMessageID: messages.lastMessageID)
  }
}
