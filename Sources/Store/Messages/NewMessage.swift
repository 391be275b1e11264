package import ParleyProtocol

/// A message that the store shall keep: complete but for its `seq`.
package struct NewMessage: Sendable, Hashable {
  /// The store's own number of the channel (`ChannelState.id`).
  package var channelID: Int64
  /// Unique in the deployment, larger than any before in the channel.
  package var id: Int64
  package var type: MessageType
  /// The author; `nil` for an admin message.
  package var userID: String?
  package var text: String
  /// What a file message brings; `nil` for others.
  package var file: MessageFile?
  /// The file itself, when it was uploaded and is to go when the message goes.
  package var upload: FileRecord?
  package var data: String
  package var customType: String
  package var mentionType: MentionType
  /// In the order to show them; those that are no users are dropped.
  package var mentionedUserIDs: [String]
  package var metaArrays: [MetaArray]
  package var openGraphTag: OpenGraphTag?
  /// Empty when the client gave none; else the sending of the same name by the same user, or by
  /// none as this one, within 10 minutes is the same message.
  package var requestID: String
  /// Whether the author is an operator of the channel at this moment.
  package var isOperatorMessage: Bool
  /// Unix milliseconds; not smaller than any before in the channel.
  package var createdAt: Int64

  package init(
    channelID: Int64, id: Int64, type: MessageType = .user, userID: String?, text: String,
    file: MessageFile? = nil, upload: FileRecord? = nil, data: String = "",
    customType: String = "", mentionType: MentionType = .users, mentionedUserIDs: [String] = [],
    metaArrays: [MetaArray] = [], openGraphTag: OpenGraphTag? = nil, requestID: String = "",
    isOperatorMessage: Bool = false, createdAt: Int64
  ) {
    self.channelID = channelID
    self.id = id
    self.type = type
    self.userID = userID
    self.text = text
    self.file = file
    self.upload = upload
    self.data = data
    self.customType = customType
    self.mentionType = mentionType
    self.mentionedUserIDs = mentionedUserIDs
    self.metaArrays = metaArrays
    self.openGraphTag = openGraphTag
    self.requestID = requestID
    self.isOperatorMessage = isOperatorMessage
    self.createdAt = createdAt
  }
}

/// What became of a message that was submitted.
package enum AppendOutcome: Sendable, Hashable {
  /// It is kept, and those of the mentioned that are users, in the order given.
  case stored(seq: Int64, mentionedUsers: [User])
  /// The same request was carried out before, with this result.
  case repeated(Message, seq: Int64)
}
