internal import ParleyProtocol

/// A parsed notification of the server.
enum Incoming: Sendable {
  /// An event in a channel, with the change of the channel's state.
  case channel(url: String, OpenChannelEvent, SnapshotChange?)
  case connection(ConnectionEvent)
  case mentioned(any BaseMessage)

  /// Parses a notification; `nil` for an unknown method.
  ///
  /// - Throws: ``ParleyError/malformedAnswer(_:)`` when a member is missing.
  init?(method: String, params: JSONNode?, _ reader: MessageReader) throws(ParleyError) {
    guard let name = EventName(rawValue: method) else { return nil }
    guard let params else { throw .malformedAnswer("the event \(method) has no 'params'") }
    let event = try AnswerReader.resource { () throws(ResourceError) in
      try Event(name, params: params)
    }
    guard let incoming = try Self.incoming(event, params, reader) else { return nil }
    self = incoming
  }

  private static func incoming(
    _ event: Event, _ params: JSONNode, _ reader: MessageReader
  ) throws(ParleyError) -> Incoming? {
    func inChannel(
      _ event: OpenChannelEvent, _ change: SnapshotChange? = nil
    ) throws(ParleyError) -> Incoming {
      .channel(url: try AnswerReader.text("channel_url", of: params), event, change)
    }
    return switch event {
    case .messageReceived(let message):
      try inChannel(.messageReceived(reader.message(message.message)))
    case .messageUpdated(let message):
      try inChannel(.messageUpdated(reader.message(message.message)))
    case .messageDeleted(let deletion):
      try inChannel(.messageDeleted(messageID: deletion.messageID))
    case .throttled(let range): try inChannel(.messagesThrottled(ThrottledMessages(range)))
    // Sent only to webhooks and observers.
    case .channelCreated, .groupCreated, .messageWithheld: nil
    // The client opens its sessions without groups.
    case .groupInvited, .groupJoined, .groupDeclined, .groupLeft, .groupLost, .groupUnread,
      .groupHidden, .groupUnhidden, .groupReady:
      nil
    case .channelChanged(let channel): try inChannel(.changed, .replaced(ChannelSnapshot(channel)))
    case .channelDeleted(let channel): try inChannel(.deleted, .replaced(ChannelSnapshot(channel)))
    case .channelFrozen(let channel): try inChannel(.frozen, .replaced(ChannelSnapshot(channel)))
    case .channelUnfrozen(let channel):
      try inChannel(.unfrozen, .replaced(ChannelSnapshot(channel)))
    case .operatorsChanged(let operators):
      try inChannel(
        .operatorsChanged(operators.users.map(User.init)),
        .operators(operators.users.map(User.init)))
    case .participantCount(let participants):
      try inChannel(
        .participantCountChanged(participants.count), .participantCount(participants.count))
    case .userEntered(let presence):
      try inChannel(
        .userEntered(User(presence.user)), .participantCount(presence.participantCount))
    case .userExited(let presence):
      try inChannel(.userExited(User(presence.user)), .participantCount(presence.participantCount))
    case .userMuted(let restriction):
      try inChannel(.userMuted(User(restriction.user), RestrictionDetails(restriction)))
    case .userUnmuted(let release): try inChannel(.userUnmuted(User(release.user)))
    case .userBanned(let restriction):
      try inChannel(.userBanned(User(restriction.user), RestrictionDetails(restriction)))
    case .userUnbanned(let release): try inChannel(.userUnbanned(User(release.user)))
    case .mentionReceived(let message): .mentioned(reader.message(message.message))
    case .sessionExpiring(let expiry): .connection(.sessionExpiring(at: expiry.expiresAt))
    case .sessionFileKey(let key):
      .connection(.fileKeyRenewed(FileKey(key: key.key, expiresAt: key.expiresAt)))
    case .serverDraining(let draining):
      .connection(
        .serverDraining(reconnectAfter: .milliseconds(max(0, draining.reconnectAfter))))
    }
  }
}

extension ThrottledMessages {
  init(_ throttling: Event.Throttling) {
    self.init(
      count: throttling.withheld, firstMessageID: throttling.firstMessageID,
      lastMessageID: throttling.lastMessageID)
  }
}

extension RestrictionDetails {
  init(_ restriction: Event.Restriction) {
    self.init(seconds: restriction.seconds, description: restriction.description)
  }
}

/// An event with the bytes that carried it, for programs that forward events.
package struct WireEvent: Sendable {
  /// The event as the client parsed it.
  package let event: ParleyEvent
  /// The notification as the server sent it; `nil` for events of the client itself.
  package let notification: Notification?

  /// A notification of the server.
  package struct Notification: Sendable {
    private let method: String
    private let params: JSONNode?

    init(method: String, params: JSONNode?) {
      self.method = method
      self.params = params
    }

    /// The notification as a JSON text; its parameters are the original bytes.
    package var json: [UInt8] {
      let params = params?.raw ?? []
      return JSONWriter.bytes(reserving: params.count + 64) {
        $0.object {
          $0.member("jsonrpc", "2.0")
          $0.member("method", method)
          guard !params.isEmpty else { return }
          $0.name("params")
          $0.value(raw: params)
        }
      }
    }
  }
}
