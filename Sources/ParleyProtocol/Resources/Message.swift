/// A message in a channel.
package struct Message: Sendable, Hashable, Identifiable {
  /// Unique in the deployment, increasing in each channel, at most 2^53 − 1.
  package var id: Int64
  package var type: MessageType
  package var channelURL: String
  /// The author; `nil` for an admin message.
  package var user: User?
  package var text: String
  /// The file of a file message; `nil` for others.
  package var file: MessageFile?
  /// The application's own; the server does not look inside.
  package var data: String
  package var customType: String
  package var mentionType: MentionType
  package var mentionedUsers: [User]
  package var metaArrays: [MetaArray]
  /// The link preview; `nil` while there is none.
  package var openGraphTag: OpenGraphTag?
  /// By language.
  package var translations: [String: String]
  /// The client's own name of the sending; empty when it gave none.
  package var requestID: String
  /// Whether the author was an operator of the channel when it was sent.
  package var isOperatorMessage: Bool
  /// Unix milliseconds; never decreases within a channel.
  package var createdAt: Int64
  /// Unix milliseconds of the last `message.update`; 0 when there was none.
  package var updatedAt: Int64

  package init(
    id: Int64, type: MessageType = .user, channelURL: String, user: User?, text: String,
    file: MessageFile? = nil, data: String = "", customType: String = "",
    mentionType: MentionType = .users,
    mentionedUsers: [User] = [], metaArrays: [MetaArray] = [], openGraphTag: OpenGraphTag? = nil,
    translations: [String: String] = [:], requestID: String = "",
    isOperatorMessage: Bool = false, createdAt: Int64, updatedAt: Int64 = 0
  ) {
    self.id = id
    self.type = type
    self.channelURL = channelURL
    self.user = user
    self.text = text
    self.file = file
    self.data = data
    self.customType = customType
    self.mentionType = mentionType
    self.mentionedUsers = mentionedUsers
    self.metaArrays = metaArrays
    self.openGraphTag = openGraphTag
    self.translations = translations
    self.requestID = requestID
    self.isOperatorMessage = isOperatorMessage
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}

/// The kind of a message (`type` on the wire).
package enum MessageType: String, Sendable, CaseIterable {
  case user = "MESG"
  case file = "FILE"
  case admin = "ADMM"
}

/// The users that a message mentions (`mention_type` on the wire).
package enum MentionType: String, Sendable, CaseIterable {
  case users
  case channel
}
