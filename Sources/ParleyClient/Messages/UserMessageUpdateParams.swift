internal import ParleyProtocol

/// Changes of a message; members that are `nil` keep their values.
public final class UserMessageUpdateParams: Sendable {
  private let shared: SharedValues<Values>

  /// The text, 1 to 5,000 characters; a changed text gets a new preview.
  public var message: String? {
    get { shared[\.message] }
    set { shared[\.message] = newValue }
  }

  /// The application-defined message type.
  public var customType: String? {
    get { shared[\.customType] }
    set { shared[\.customType] = newValue }
  }

  /// Application-defined data.
  public var data: String? {
    get { shared[\.data] }
    set { shared[\.data] = newValue }
  }

  /// The users that the message mentions.
  public var mentionType: MentionType? {
    get { shared[\.mentionType] }
    set { shared[\.mentionType] = newValue }
  }

  /// The ids of the mentioned users; an edit sends no mention events.
  public var mentionedUserIDs: [String]? {
    get { shared[\.mentionedUserIDs] }
    set { shared[\.mentionedUserIDs] = newValue }
  }

  /// The mentioned users, in addition to ``mentionedUserIDs``.
  public var mentionedUsers: [User]? {
    get { shared[\.mentionedUsers] }
    set { shared[\.mentionedUsers] = newValue }
  }

  /// Creates a set of changes.
  public init(message: String? = nil, customType: String? = nil, data: String? = nil) {
    shared = SharedValues(Values(message: message, customType: customType, data: data))
  }

  /// A snapshot of the current values.
  var values: Values { shared.current }

  /// A snapshot of the values.
  struct Values: Sendable, Hashable {
    var message: String?
    var customType: String?
    var data: String?
    var mentionType: MentionType?
    var mentionedUserIDs: [String]?
    var mentionedUsers: [User]?

    func write(into writer: inout JSONWriter) {
      if let message { writer.member("message", message) }
      if let customType { writer.member("custom_type", customType) }
      if let data { writer.member("data", data) }
      if let mentionType { writer.member("mention_type", mentionType.wireName) }
      guard mentionedUserIDs != nil || mentionedUsers != nil else { return }
      let userIDs = (mentionedUserIDs ?? []) + (mentionedUsers ?? []).map(\.userID)
      writer.member("mentioned_user_ids", userIDs)
    }
  }
}
