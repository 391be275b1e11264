import ParleyProtocol

/// The author of a message that mentions users.
package enum MentionAuthor: Sendable, Hashable {
  /// A user, whose budget of mentions is used.
  case user(String)
  /// The Platform API, for which no budget exists, as a user unless it is an admin message.
  case platform(onBehalfOf: String?)
}

extension JudgeActions {
  /// Notifies mentioned users who are not in the channel; members of a group have the message.
  mutating func mention(
    _ shown: EventMessage, in standing: Standing, by author: MentionAuthor
  ) {
    let message = shown.message
    guard message.mentionType == .users, !message.mentionedUsers.isEmpty, !standing.isGroup else {
      return
    }
    let absent = message.mentionedUsers.map(\.id).filter { !standing.rights.isPresent($0) }
    guard !absent.isEmpty else { return }
    let notification = Event.mentionReceived(shown.mentioned).notification(
      from: EventOrigin(channelURL: standing.place.url, timestamp: message.createdAt))
    append(.mention(absent, by: author, notification: notification))
  }
}

extension EventMessage {
  /// The largest message that a mention contains in full, in bytes of its JSON.
  private static let wholeMentionBytes = 8_192

  /// The message in `mention.received`: a large one has no data, extra data and preview.
  fileprivate var mentioned: EventMessage {
    guard json.count > Self.wholeMentionBytes else { return self }
    var message = message
    message.data = ""
    message.metaArrays = []
    message.openGraphTag = nil
    return EventMessage(message)
  }
}
