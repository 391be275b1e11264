internal import ParleyProtocol

/// The members of messages of all kinds; read them through ``BaseMessage``.
public struct MessageRecord: Sendable, Hashable {
  let messageID: Int64
  let channelURL: String
  let sender: User?
  let message: String
  let data: String
  let customType: String
  let mentionType: MentionType
  let mentionedUsers: [User]
  let metaArrays: [MessageMetaArray]
  let ogMetaData: OGMetaData?
  let translations: [String: String]
  let requestID: String
  let createdAt: Int64
  let updatedAt: Int64
}

extension MessageRecord {
  init(_ message: ParleyProtocol.Message) {
    self.init(
      messageID: message.id, channelURL: message.channelURL,
      sender: message.user.map(User.init), message: message.text, data: message.data,
      customType: message.customType, mentionType: MentionType(message.mentionType),
      mentionedUsers: message.mentionedUsers.map(User.init),
      metaArrays: message.metaArrays.map(MessageMetaArray.init),
      ogMetaData: message.openGraphTag.map(OGMetaData.init), translations: message.translations,
      requestID: message.requestID, createdAt: message.createdAt, updatedAt: message.updatedAt)
  }

  /// A message that is about to be sent.
  init(
    pending params: UserMessageCreateParams, in channelURL: String, by sender: User?,
    _ requestID: String
  ) {
    self.init(
      messageID: 0, channelURL: channelURL, sender: sender, message: params.message,
      data: params.data, customType: params.customType, mentionType: params.mentionType,
      mentionedUsers: [], metaArrays: params.metaArrays, ogMetaData: nil, translations: [:],
      requestID: requestID, createdAt: 0, updatedAt: 0)
  }
}
