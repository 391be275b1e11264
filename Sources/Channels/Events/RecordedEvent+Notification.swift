import ParleyProtocol

extension RecordedEvent {
  /// The event as participants receive it; `nil` for one that is unreadable, or that needs the
  /// message with it.
  ///
  /// - Parameter channel: The channel as it is now.
  package func notification(in channel: ChannelView) -> [UInt8]? {
    let origin = EventOrigin(channelURL: channel.channel.url, timestamp: timestamp)
    switch kind {
    case .channelChanged:
      return EventEncoder.channelChanged(origin, seq: seq, channel: channel.encoded())
    case .channelDeleted:
      return EventEncoder.channelDeleted(origin, seq: seq, channel: channel.encoded())
    case .channelFrozen:
      return EventEncoder.channelFrozen(origin, seq: seq, channel: channel.encoded())
    case .channelUnfrozen:
      return EventEncoder.channelUnfrozen(origin, seq: seq, channel: channel.encoded())
    case .userMuted:
      return restriction(origin, EventEncoder.userMuted)
    case .userBanned:
      return restriction(origin, EventEncoder.userBanned)
    case .userUnmuted:
      return user.map { EventEncoder.userUnmuted(origin, seq: seq, user: $0) }
    case .userUnbanned:
      return user.map { EventEncoder.userUnbanned(origin, seq: seq, user: $0) }
    case .operatorsChanged:
      return root.map {
        let operators = $0["operators"]?.elements.compactMap { try? User(json: $0) } ?? []
        return EventEncoder.operatorsChanged(origin, seq: seq, operators: operators)
      }
    case .messageUpdated, .messageDeleted:
      return nil
    }
  }

  private var root: JSONNode? { try? JSONDocument(Array(payload.utf8)).root }

  private var user: User? {
    root?["user"].flatMap { try? User(json: $0) }
  }

  private func restriction(
    _ origin: EventOrigin,
    _ encode: (EventOrigin, Int64, User, Int64, String) -> [UInt8]
  ) -> [UInt8]? {
    guard let root, let node = root["user"], let user = try? User(json: node) else { return nil }
    return encode(
      origin, seq, user, root["seconds"]?.integer ?? 0, root["description"]?.string ?? "")
  }
}
