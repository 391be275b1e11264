internal import ParleyProtocol

/// Changes of a message; members that are `nil` keep their values.
public struct UserMessageUpdateParams: Sendable, Hashable {
  /// The text, 1 to 5,000 characters; another text loses its preview and gets a new one.
  public var message: String?
  /// The application's own name for this kind of message.
  public var customType: String?
  /// The application's own.
  public var data: String?
  /// The users that the message mentions.
  public var mentionType: MentionType?
  /// The mentioned users; an edit sends no mention events.
  public var mentionedUserIDs: [String]?

  /// Names what is to change.
  public init(message: String? = nil, customType: String? = nil, data: String? = nil) {
    self.message = message
    self.customType = customType
    self.data = data
  }

  func write(into writer: inout JSONWriter) {
    if let message { writer.member("message", message) }
    if let customType { writer.member("custom_type", customType) }
    if let data { writer.member("data", data) }
    if let mentionType { writer.member("mention_type", mentionType.wireName) }
    if let mentionedUserIDs { writer.member("mentioned_user_ids", mentionedUserIDs) }
  }
}
