/// The members of a group that a message mentions.
package enum MessageMentions: Sendable, Hashable {
  /// By id.
  case users([String])
  /// All members.
  case channel

  /// - Returns: `nil` for a message that mentions no one.
  package init?(_ type: MentionType, _ userIDs: [String]) {
    switch type {
    case .channel: self = .channel
    case .users:
      guard !userIDs.isEmpty else { return nil }
      self = .users(userIDs)
    }
  }

  package init?(of message: Message) {
    self.init(message.mentionType, message.mentionedUsers.map(\.id))
  }

  package func include(_ userID: String) -> Bool {
    switch self {
    case .users(let ids): ids.contains(userID)
    case .channel: true
    }
  }

  /// - Returns: `nil` for an object without mentions.
  init?(_ reader: ResourceReader) throws(ResourceError) {
    guard reader.node.present("mention_type") != nil else { return nil }
    let ids =
      reader.node.present("mentioned_user_ids") == nil
      ? [] : try reader.texts("mentioned_user_ids")
    self.init(try reader.choice("mention_type"), ids)
  }

  /// Writes the members of an object.
  func encode(into writer: inout JSONWriter) {
    switch self {
    case .users(let ids):
      writer.member("mention_type", MentionType.users.rawValue)
      writer.member("mentioned_user_ids", ids)
    case .channel: writer.member("mention_type", MentionType.channel.rawValue)
    }
  }
}
