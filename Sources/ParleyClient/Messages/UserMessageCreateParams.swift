internal import ParleyProtocol

/// A message to be sent.
///
///     let params = UserMessageCreateParams(message: "hello")
///     params.customType = "greeting"
///     channel.sendUserMessage(params: params) { message, error in }
///
/// A call takes the values of its moment: later changes do not affect it. This is so for the parameters of
/// all calls.
public final class UserMessageCreateParams: Sendable {
  private let shared: SharedValues<Values>

  /// The text, 1 to 5,000 characters; kept as it is.
  public var message: String {
    get { shared[\.message] }
    set { shared[\.message] = newValue }
  }

  /// The application's own name for this kind of message, at most 128 characters by default.
  public var customType: String {
    get { shared[\.customType] }
    set { shared[\.customType] = newValue }
  }

  /// The application's own, at most 16,384 bytes by default; the server does not look inside.
  public var data: String {
    get { shared[\.data] }
    set { shared[\.data] = newValue }
  }

  /// The users that the message mentions.
  public var mentionType: MentionType {
    get { shared[\.mentionType] }
    set { shared[\.mentionType] = newValue }
  }

  /// The ids of users who are mentioned by ``MentionType/users``, at most 10 with ``mentionedUsers``.
  public var mentionedUserIDs: [String] {
    get { shared[\.mentionedUserIDs] }
    set { shared[\.mentionedUserIDs] = newValue }
  }

  /// Users who are mentioned by ``MentionType/users`` beside those of ``mentionedUserIDs``.
  ///
  /// The pending message has them too.
  public var mentionedUsers: [User] {
    get { shared[\.mentionedUsers] }
    set { shared[\.mentionedUsers] = newValue }
  }

  /// Extra data that participants may change, at most 10 keys by default.
  public var metaArrays: [MessageMetaArray] {
    get { shared[\.metaArrays] }
    set { shared[\.metaArrays] = newValue }
  }

  /// Languages to translate the text to; those that the server lacks are left out.
  public var translationTargetLanguages: [String] {
    get { shared[\.translationTargetLanguages] }
    set { shared[\.translationTargetLanguages] = newValue }
  }

  /// Whether those who are away are to be notified.
  public var pushNotificationDeliveryOption: PushNotificationDeliveryOption {
    get { shared[\.pushNotificationDeliveryOption] }
    set { shared[\.pushNotificationDeliveryOption] = newValue }
  }

  /// The name of this sending, at most 64 characters; the client makes one unless it is given.
  ///
  /// Repeating a sending under the same name within ten minutes sends nothing twice. Give one to be
  /// sure of that across restarts of the application.
  public var requestID: String? {
    get { shared[\.requestID] }
    set { shared[\.requestID] = newValue }
  }

  /// Begins a message with its text.
  public init(message: String) {
    shared = SharedValues(Values(message: message))
  }

  /// Begins a message that carries a preview of its own making.
  ///
  /// - Throws: See ``URLPreviewPayload/encoded()``.
  public init(message: String, preview: URLPreviewPayload) throws(ParleyError) {
    var values = Values(message: message)
    values.customType = URLPreviewPayload.messageCustomType
    values.data = try preview.encoded()
    shared = SharedValues(values)
  }

  init(_ values: Values) {
    shared = SharedValues(values)
  }

  /// The values at this moment.
  var values: Values { shared.current }

  /// The values of one moment.
  struct Values: Sendable, Hashable {
    var message: String
    var customType = ""
    var data = ""
    var mentionType: MentionType = .users
    var mentionedUserIDs: [String] = []
    var mentionedUsers: [User] = []
    var metaArrays: [MessageMetaArray] = []
    var translationTargetLanguages: [String] = []
    var pushNotificationDeliveryOption: PushNotificationDeliveryOption = .default
    var requestID: String?

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
      let userIDs = mentionedUserIDs + mentionedUsers.map(\.userID)
      if !userIDs.isEmpty { writer.member("mentioned_user_ids", userIDs) }
    }
  }
}
