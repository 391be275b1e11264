package import ParleyProtocol

/// An event that an absent participant may have missed.
package enum DurableEvent: Sendable, Hashable {
  /// The message as it is now.
  case received(Message, seq: Int64)
  /// The message as it is now.
  case updated(Message, seq: Int64, timestamp: Int64)
  case deleted(Event.Deletion, seq: Int64, timestamp: Int64)
  /// Any other event, with its channel as it is now.
  case channel(LoggedEvent)

  /// An event stored in the log.
  ///
  /// - Parameter message: Finds the current message of an update.
  /// - Returns: `nil` if that message no longer exists.
  package init?(_ logged: LoggedEvent, message: (Int64) -> Message?) {
    let (seq, timestamp) = (logged.seq, logged.timestamp)
    guard let id = logged.messageID else {
      self = .channel(logged)
      return
    }
    if logged.name == .messageDeleted {
      let deletion = logged.deletion ?? Event.Deletion(messageID: id)
      self = .deleted(deletion, seq: seq, timestamp: timestamp)
    } else if let message = message(id) {
      self = .updated(message, seq: seq, timestamp: timestamp)
    } else {
      return nil
    }
  }

  /// The position in the channel's count.
  package var seq: Int64 {
    switch self {
    case .received(_, let seq), .updated(_, let seq, _), .deleted(_, let seq, _): seq
    case .channel(let event): event.seq
    }
  }

  /// Unix milliseconds.
  package var timestamp: Int64 {
    switch self {
    case .received(let message, _): message.createdAt
    case .updated(_, _, let timestamp), .deleted(_, _, let timestamp): timestamp
    case .channel(let event): event.timestamp
    }
  }

  /// The event as participants receive it; `nil` for an unreadable record.
  ///
  /// - Parameter channel: The channel as it is now.
  package func notification(in channel: ChannelInfo) -> [UInt8]? {
    let origin = EventOrigin(channelURL: channel.channel.url, seq: seq, timestamp: timestamp)
    return event(in: channel)?.notification(from: origin)
  }

  func event(in channel: ChannelInfo) -> Event? {
    switch self {
    case .received(let message, _): .messageReceived(EventMessage(message))
    case .updated(let message, _, _): .messageUpdated(EventMessage(message))
    case .deleted(let deletion, _, _): .messageDeleted(deletion)
    case .channel(let logged): try? logged.event(in: channel)
    }
  }
}
