/// A message of any kind.
///
/// Look at the kind with `as?`:
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
  /// The channel that the message is in.
  public var channelURL: String { record.channelURL }
  /// The author; `nil` for an admin message.
  public var sender: User? { record.sender }
  /// The text.
  public var message: String { record.message }
  /// The application's own; the server does not look inside.
  public var data: String { record.data }
  /// The application's own name for this kind of message.
  public var customType: String { record.customType }
  /// The users that the message mentions.
  public var mentionType: MentionType { record.mentionType }
  /// Those who are mentioned by ``MentionType/users``.
  public var mentionedUsers: [User] { record.mentionedUsers }
  /// Extra data that participants may change: polls, counters.
  public var metaArrays: [MessageMetaArray] { record.metaArrays }
  /// The link preview; `nil` while there is none.
  public var ogMetaData: OGMetaData? { record.ogMetaData }
  /// The text in other languages, by language.
  public var translations: [String: String] { record.translations }
  /// The sender's own name of the sending; empty when it gave none.
  public var requestID: String { record.requestID }
  /// Unix milliseconds; never decreases within a channel.
  public var createdAt: Int64 { record.createdAt }
  /// Unix milliseconds of the last change by a person; 0 when there was none.
  public var updatedAt: Int64 { record.updatedAt }
}
