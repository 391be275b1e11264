internal import ParleyClient
internal import ParleyProtocol

/// Events as JSON, one object a line: `event` with its name in the protocol, and what belongs to it.
enum EventJSON {
  /// A channel's event.
  static func line(_ event: OpenChannelEvent, channelURL: String) -> String {
    line(name(of: event)) {
      $0.member("channel_url", channelURL)
      $0.content(of: event)
    }
  }

  /// An event of the connection.
  static func line(_ event: ConnectionEvent) -> String {
    line("connection") { writer in
      switch event {
      case .connected: writer.member("state", "connected")
      case .reconnected: writer.member("state", "reconnected")
      case .reconnecting(let attempt, _, let reason):
        writer.member("state", "reconnecting")
        writer.member("attempt", attempt)
        writer.member("reason", "\(reason)")
      case .disconnected(let reason):
        writer.member("state", "disconnected")
        writer.member("reason", "\(reason)")
      case .sessionExpiring(let time):
        writer.member("state", "expiring")
        writer.member("expires_at", time)
      case .serverDraining: writer.member("state", "draining")
      }
    }
  }

  /// A mention in a channel that the user is not in.
  static func line(mention message: any BaseMessage) -> String {
    line("mention.received") { $0.message(message) }
  }

  /// Events that were dropped as they came too fast.
  static func line(dropped count: Int) -> String {
    line("dropped") { $0.member("count", count) }
  }

  private static func line(_ name: String, _ write: (inout JSONWriter) -> Void) -> String {
    let bytes = JSONWriter.bytes {
      $0.object {
        $0.member("event", name)
        write(&$0)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func name(of event: OpenChannelEvent) -> String {
    switch event {
    case .messageReceived: "message.received"
    case .messageUpdated: "message.updated"
    case .messageDeleted: "message.deleted"
    case .messagesThrottled: "channel.throttled"
    case .changed: "channel.changed"
    case .frozen: "channel.frozen"
    case .unfrozen: "channel.unfrozen"
    case .deleted: "channel.deleted"
    case .operatorsChanged: "channel.operators_changed"
    case .userEntered: "channel.user_entered"
    case .userExited: "channel.user_exited"
    case .participantCountChanged: "channel.participant_count"
    case .userMuted: "channel.user_muted"
    case .userUnmuted: "channel.user_unmuted"
    case .userBanned: "channel.user_banned"
    case .userUnbanned: "channel.user_unbanned"
    case .recovered: "recovered"
    case .eventsLost: "events_lost"
    case .dropped: "dropped"
    }
  }
}

extension JSONWriter {
  fileprivate mutating func content(of event: OpenChannelEvent) {
    switch event {
    case .messageReceived(let message), .messageUpdated(let message): self.message(message)
    case .messageDeleted(let id): member("message_id", id)
    case .messagesThrottled(let withheld):
      member("withheld", withheld.count)
      member("first_message_id", withheld.firstMessageID)
      member("last_message_id", withheld.lastMessageID)
    case .operatorsChanged(let users): member("operators", users.map(\.userID))
    case .userEntered(let user), .userExited(let user), .userUnmuted(let user),
      .userUnbanned(let user):
      member("user_id", user.userID)
    case .participantCountChanged(let count): member("participant_count", count)
    case .userMuted(let user, let details), .userBanned(let user, let details):
      member("user_id", user.userID)
      member("seconds", details.seconds)
      member("description", details.description)
    case .recovered(let count), .dropped(let count): member("count", count)
    case .changed, .frozen, .unfrozen, .deleted, .eventsLost: break
    }
  }
}
