internal import ParleyProtocol

/// A message of any kind.
///
/// Test the kind with `as?`:
///
///     if let message = message as? UserMessage { show(message.message, from: message.sender) }
///
/// The kinds are ``UserMessage``, ``AdminMessage`` and ``FileMessage``.
public protocol BaseMessage: Sendable, Identifiable where ID == Int64 {
  /// The members of messages of all kinds.
  var record: MessageRecord { get }
}

extension BaseMessage {
  /// The same as ``messageID``.
  public var id: Int64 { record.messageID }
  /// Unique in the deployment, and increasing in each channel; 0 while the message is pending.
  public var messageID: Int64 { record.messageID }
  /// The channel of the message.
  public var channelURL: String { record.channelURL }
  /// The author; `nil` for an admin message.
  public var sender: User? { record.sender }
  /// The text.
  public var message: String { record.message }
  /// Application-defined data; the server does not interpret it.
  public var data: String { record.data }
  /// The application-defined message type.
  public var customType: String { record.customType }
  /// The users that the message mentions.
  public var mentionType: MentionType { record.mentionType }
  /// The users mentioned by ``MentionType/users``.
  public var mentionedUsers: [User] { record.mentionedUsers }
  /// Extra data that participants may change: polls, counters.
  public var metaArrays: [MessageMetaArray] { record.metaArrays }
  /// The link preview; `nil` while there is none.
  public var ogMetaData: OGMetaData? { record.ogMetaData }
  /// Whether the server is fetching a link preview; this ends with an update of the message, or
  /// after the server's time limit for previews.
  public var isOGMetaDataPending: Bool { record.isOGMetaDataPending }
  /// The text in other languages, by language.
  public var translations: [String: String] { record.translations }
  /// The sender's name for the sending; empty if none was given.
  public var requestID: String { record.requestID }
  /// Unix milliseconds; never decreases within a channel.
  public var createdAt: Int64 { record.createdAt }
  /// Unix milliseconds of the last change by a user; 0 if there was none.
  public var updatedAt: Int64 { record.updatedAt }

  /// The number of the message in its group, from 1 without gaps.
  ///
  /// 0 in an open channel, for a silent message, and while the message is pending.
  public var ordinal: Int64 { record.ordinal }

  /// Returns the extra data with the given keys, in the order of the message.
  public func metaArrays(keys: [String]) -> [MessageMetaArray] {
    metaArrays.filter { keys.contains($0.key) }
  }
}

/// A text that a user sent.
public struct UserMessage: BaseMessage, Hashable {
  /// The members of messages of all kinds.
  public let record: MessageRecord
  /// Whether the server has stored the message.
  public let sendingStatus: SendingStatus

  /// The parameters of a message that the server has not stored, for sending it again.
  let unsent: UserMessageCreateParams.Values?

  init(_ record: MessageRecord) {
    self.init(record: record, sendingStatus: .succeeded, unsent: nil)
  }

  private init(
    record: MessageRecord, sendingStatus: SendingStatus, unsent: UserMessageCreateParams.Values?
  ) {
    self.record = record
    self.sendingStatus = sendingStatus
    self.unsent = unsent
  }

  /// Creates a pending message.
  init(pending params: UserMessageCreateParams.Values, _ record: MessageRecord) {
    self.init(record: record, sendingStatus: .pending, unsent: params)
  }

  /// The same message while it is sent again; a stored message is unchanged.
  var pending: UserMessage {
    guard unsent != nil else { return self }
    return UserMessage(record: record, sendingStatus: .pending, unsent: unsent)
  }

  /// The same message after sending it failed; a stored message is unchanged.
  var failed: UserMessage {
    guard unsent != nil else { return self }
    return UserMessage(record: record, sendingStatus: .failed, unsent: unsent)
  }

  /// The preview created by the sender, if ``BaseMessage/data`` holds one.
  public var urlPreview: URLPreviewPayload? {
    guard customType == URLPreviewPayload.messageCustomType else { return nil }
    return URLPreviewPayload(encoded: data)
  }
}

/// The progress of sending a message.
public enum SendingStatus: Sendable, Hashable {
  /// The message is being sent: ``BaseMessage/messageID`` and the times are 0, and
  /// ``BaseMessage/requestID`` identifies the message.
  case pending
  /// Sending failed; the message can be sent again with the same ``BaseMessage/requestID``.
  case failed
  /// The server has stored it.
  case succeeded
}

/// A text by the channel's administration, without a ``BaseMessage/sender``.
public struct AdminMessage: BaseMessage, Hashable {
  /// The members of messages of all kinds.
  public let record: MessageRecord
}

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
  let isOGMetaDataPending: Bool
  let translations: [String: String]
  let requestID: String
  let createdAt: Int64
  let updatedAt: Int64
  var ordinal: Int64 = 0
}

extension MessageRecord {
  init(_ message: ParleyProtocol.Message) {
    self.init(
      messageID: message.id, channelURL: message.channelURL,
      sender: message.user.map(User.init), message: message.text, data: message.data,
      customType: message.customType, mentionType: MentionType(message.mentionType),
      mentionedUsers: message.mentionedUsers.map(User.init),
      metaArrays: message.metaArrays.map(MessageMetaArray.init),
      ogMetaData: message.openGraphTag.map(OGMetaData.init),
      isOGMetaDataPending: message.isPreviewPending, translations: message.translations,
      requestID: message.requestID, createdAt: message.createdAt, updatedAt: message.updatedAt,
      ordinal: message.ordinal ?? 0)
  }

  /// Creates a pending message.
  init(
    pending params: UserMessageCreateParams.Values, in channelURL: String, by sender: User?,
    _ requestID: String
  ) {
    self.init(
      messageID: 0, channelURL: channelURL, sender: sender, message: params.message,
      data: params.data, customType: params.customType, mentionType: params.mentionType,
      mentionedUsers: params.mentionedUsers, metaArrays: params.metaArrays, ogMetaData: nil,
      isOGMetaDataPending: false, translations: [:],
      requestID: requestID, createdAt: 0, updatedAt: 0)
  }
}

/// Identifies a message in requests.
struct MessageReference: Sendable, Hashable {
  let channelURL: String
  let messageID: Int64

  func write(into writer: inout JSONWriter) {
    writer.member("channel_url", channelURL)
    writer.member("message_id", messageID)
  }
}
