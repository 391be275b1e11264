internal import ParleyProtocol

/// A message to be sent.
public struct UserMessageCreateParams: Sendable, Hashable {
  /// The text, 1 to 5,000 characters; kept as it is.
  public var message: String
  /// The application's own name for this kind of message, at most 128 characters.
  public var customType = ""
  /// The application's own, at most 16,384 bytes; the server does not look inside.
  public var data = ""
  /// The users that the message mentions.
  public var mentionType = MentionType.users
  /// Those who are mentioned by ``MentionType/users``, at most 100.
  public var mentionedUserIDs: [String] = []
  /// Extra data that participants may change, at most 10 keys.
  public var metaArrays: [MessageMetaArray] = []
  /// Languages to translate the text to; a server without a translator sends none.
  public var translationTargetLanguages: [String] = []
  /// Whether those who are away are to be notified.
  public var pushNotificationDeliveryOption = PushNotificationDeliveryOption.default
  /// The name of this sending, at most 64 characters; the client makes one unless it is given.
  ///
  /// Repeating a sending under the same name within ten minutes sends nothing twice. Give one to be
  /// sure of that across restarts of the application.
  public var requestID: String?

  /// Begins a message with its text.
  public init(message: String) {
    self.message = message
  }

  /// Begins a message that carries a preview of its own making.
  ///
  /// - Throws: See ``URLPreviewPayload/encoded()``.
  public init(message: String, preview: URLPreviewPayload) throws(ParleyError) {
    self.message = message
    customType = URLPreviewPayload.messageCustomType
    data = try preview.encoded()
  }

  func write(into writer: inout JSONWriter) {
    writer.member("message", message)
    if !customType.isEmpty { writer.member("custom_type", customType) }
    if !data.isEmpty { writer.member("data", data) }
    writeMentions(into: &writer)
    if !metaArrays.isEmpty {
      writer.name("metaarray")
      metaArrays.map(\.metaArray).encode(into: &writer)
    }
    if !translationTargetLanguages.isEmpty {
      writer.member("translation_target_langs", translationTargetLanguages)
    }
    if pushNotificationDeliveryOption != .default {
      writer.member("push_option", pushNotificationDeliveryOption.rawValue)
    }
  }

  private func writeMentions(into writer: inout JSONWriter) {
    if mentionType != .users { writer.member("mention_type", mentionType.wireName) }
    if !mentionedUserIDs.isEmpty { writer.member("mentioned_user_ids", mentionedUserIDs) }
  }
}
