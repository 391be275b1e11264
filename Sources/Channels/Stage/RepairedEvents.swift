import ParleyProtocol

/// The events that a stage missed, as the stage applies them instead of the original ones.
///
/// As in a recovery, several updates of a message are one, and of a deleted message only the deletion
/// remains. A connection that still awaits the answer to a send receives its message as that answer.
struct RepairedEvents {
  private(set) var list: [ChannelEvent] = []

  /// Whether the numbers of unread mentions may have changed in a way that the events do not show: the log
  /// does not have the former mentions of a changed message.
  var hideCounts: Bool {
    list.contains { event in
      switch event.subject {
      case .update, .mentionChange: true
      case .message, .deletion, .record, .operators, .expulsion, .admission, .departure,
        .invitation,
        .quietAdmission, .quietDeparture, .end, .announcement:
        false
      }
    }
  }

  /// - Parameters:
  ///   - missed: The events that the log has, in order.
  ///   - range: The first and the last event to apply.
  ///   - channel: The channel as it is now.
  ///   - awaited: The unanswered sends of connections on the stage's server.
  init(
    _ missed: [DurableEvent], in range: ClosedRange<Int64>, of channel: ChannelInfo,
    awaited: [AwaitedSend]
  ) {
    var awaited = awaited
    let missed = missed.filter { range.contains($0.seq) }
    let lastUpdates = RecoveredEvents.lastUpdates(in: missed)
    for var event in missed {
      var author: SessionAddress?
      switch event {
      case .received(let message, _):
        if let index = awaited.firstIndex(where: { $0.isSend(of: message) }) {
          author = awaited.remove(at: index).session
        }
      case .updated(let message, let seq, _):
        guard lastUpdates[message.id]?.seq == seq else { continue }
      case .deleted(let deletion, let seq, let timestamp):
        let shown = deletion.shown(after: range.lowerBound - 1)
        event = .deleted(shown, seq: seq, timestamp: timestamp)
      case .channel: break
      }
      guard let content = event.event(in: channel) else { continue }
      list.append(
        ChannelEvent(
          content, in: channel.channel.url, seq: event.seq, at: event.timestamp, author: author))
    }
  }
}

/// An unanswered send of a connection.
package struct AwaitedSend: Sendable, Hashable {
  package let session: SessionAddress
  package let userID: String
  /// The request id by which the log recognizes the message; empty for a send without one.
  package let requestID: String
  /// The text that identifies a message without a request id; it stays on the session's server.
  package let text: String

  package init(
    session: SessionAddress, userID: String, requestID: String, text: String = ""
  ) {
    self.session = session
    self.userID = userID
    self.requestID = requestID
    self.text = text
  }

  fileprivate func isSend(of message: Message) -> Bool {
    // The user's other connections, and the Platform API, may also send messages without a request id.
    message.user?.id == userID && message.requestID == requestID
      && (!requestID.isEmpty || message.text == text)
  }
}
