/// Notifications of events whose parts are given one by one.
package enum EventEncoder {
  // MARK: Messages

  /// A message was sent; `message` is its JSON.
  package static func messageReceived(
    _ origin: EventOrigin, seq: Int64, message: [UInt8]
  ) -> [UInt8] {
    Event.messageReceived(.encoded(message)).notification(from: origin.numbered(seq))
  }

  /// A message was changed, by its author, an operator or the server; `message` is its JSON.
  package static func messageUpdated(
    _ origin: EventOrigin, seq: Int64, message: [UInt8]
  ) -> [UInt8] {
    Event.messageUpdated(.encoded(message)).notification(from: origin.numbered(seq))
  }

  /// A message was deleted.
  package static func messageDeleted(
    _ origin: EventOrigin, seq: Int64, messageID: Int64
  ) -> [UInt8] {
    Event.messageDeleted(.init(messageID: messageID)).notification(from: origin.numbered(seq))
  }

  /// A user who is not in the channel was mentioned there; `message` is the message's JSON.
  package static func mentionReceived(_ origin: EventOrigin, message: [UInt8]) -> [UInt8] {
    Event.mentionReceived(.encoded(message)).notification(from: origin)
  }

  /// Messages were withheld by smart throttling; `first` and `last` are their outermost ids.
  package static func throttled(
    _ origin: EventOrigin, withheld: Int, first: Int64, last: Int64
  ) -> [UInt8] {
    let payload = Event.Throttling(withheld: withheld, firstMessageID: first, lastMessageID: last)
    return Event.throttled(payload).notification(from: origin)
  }

  // MARK: Channels; `channel` is a channel's JSON

  package static func channelChanged(
    _ origin: EventOrigin, seq: Int64, channel: [UInt8]
  ) -> [UInt8] {
    Event.channelChanged(.encoded(channel)).notification(from: origin.numbered(seq))
  }

  package static func channelDeleted(
    _ origin: EventOrigin, seq: Int64, channel: [UInt8]
  ) -> [UInt8] {
    Event.channelDeleted(.encoded(channel)).notification(from: origin.numbered(seq))
  }

  package static func channelFrozen(
    _ origin: EventOrigin, seq: Int64, channel: [UInt8]
  ) -> [UInt8] {
    Event.channelFrozen(.encoded(channel)).notification(from: origin.numbered(seq))
  }

  package static func channelUnfrozen(
    _ origin: EventOrigin, seq: Int64, channel: [UInt8]
  ) -> [UInt8] {
    Event.channelUnfrozen(.encoded(channel)).notification(from: origin.numbered(seq))
  }

  package static func operatorsChanged(
    _ origin: EventOrigin, seq: Int64, operators: [User]
  ) -> [UInt8] {
    Event.operatorsChanged(.init(operators)).notification(from: origin.numbered(seq))
  }

  package static func userEntered(
    _ origin: EventOrigin, user: User, participantCount: Int
  ) -> [UInt8] {
    Event.userEntered(.init(user: user, participantCount: participantCount))
      .notification(from: origin)
  }

  package static func userExited(
    _ origin: EventOrigin, user: User, participantCount: Int
  ) -> [UInt8] {
    Event.userExited(.init(user: user, participantCount: participantCount))
      .notification(from: origin)
  }

  package static func participantCount(
    _ origin: EventOrigin, participantCount: Int
  ) -> [UInt8] {
    Event.participantCount(.init(participantCount)).notification(from: origin)
  }

  // MARK: Moderation

  package static func userMuted(
    _ origin: EventOrigin, seq: Int64, user: User, seconds: Int64, description: String
  ) -> [UInt8] {
    Event.userMuted(.init(user: user, seconds: seconds, description: description))
      .notification(from: origin.numbered(seq))
  }

  package static func userUnmuted(_ origin: EventOrigin, seq: Int64, user: User) -> [UInt8] {
    Event.userUnmuted(.init(user: user)).notification(from: origin.numbered(seq))
  }

  package static func userBanned(
    _ origin: EventOrigin, seq: Int64, user: User, seconds: Int64, description: String
  ) -> [UInt8] {
    Event.userBanned(.init(user: user, seconds: seconds, description: description))
      .notification(from: origin.numbered(seq))
  }

  package static func userUnbanned(_ origin: EventOrigin, seq: Int64, user: User) -> [UInt8] {
    Event.userUnbanned(.init(user: user)).notification(from: origin.numbered(seq))
  }

  // MARK: Sessions

  package static func sessionExpiring(at timestamp: Int64, expiresAt: Int64) -> [UInt8] {
    Event.sessionExpiring(.init(expiresAt: expiresAt)).notification(from: .session(at: timestamp))
  }

  package static func serverDraining(at timestamp: Int64, reconnectAfter: Int64) -> [UInt8] {
    Event.serverDraining(.init(reconnectAfter: reconnectAfter))
      .notification(from: .session(at: timestamp))
  }
}

extension EventOrigin {
  fileprivate func numbered(_ seq: Int64) -> EventOrigin {
    EventOrigin(channelURL: channelURL, seq: seq, timestamp: timestamp)
  }
}
