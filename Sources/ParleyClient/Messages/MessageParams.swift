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
  /// Languages to translate the text to; those that the server lacks are left out.
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

/// A file to send: one to be uploaded, or one that is available at a URL.
///
///     var params = FileMessageCreateParams(file: .path("/tmp/plan.png"))
///     params.mimeType = "image/png"
///
/// All that goes with a text goes with a file too, under the names of ``UserMessageCreateParams``:
///
///     var params = FileMessageCreateParams(fileURL: "https://files.example/plan.pdf")
///     params.fileName = "plan.pdf"
///     params.customType = "plan"
@dynamicMemberLookup
public struct FileMessageCreateParams: Sendable, Hashable {
  /// The http or https URL of the file, at most 2,048 characters; empty for one to be uploaded.
  public var fileURL: String
  /// The bytes to be uploaded; `nil` for a file at a URL.
  public var file: FileContent?
  /// The file's name, at most 255 characters.
  public var fileName = ""
  /// The media type, such as `image/png`; at most 128 characters.
  public var mimeType = ""
  /// Bytes; 0 when it is not known.
  ///
  /// The size of an uploaded file is counted.
  public var fileSize: Int64 = 0
  /// Whether reading the uploaded file takes a key of a participant.
  public var requireAuth = false
  /// Up to three sizes in which the server makes thumbnails of an uploaded picture or film.
  public var thumbnailSizes: [ThumbnailSize] = []
  /// The parameters shared with text messages.
  private(set) var common: UserMessageCreateParams

  /// Begins with the file's address.
  ///
  /// - Parameter message: A text beside it, at most 5,000 characters; it may be empty.
  public init(fileURL: String, message: String = "") {
    self.fileURL = fileURL
    common = UserMessageCreateParams(message: message)
  }

  /// Begins with the bytes of a file, which are uploaded before the message is sent.
  ///
  /// A file at a path has the name of the path, and the media type that the name suggests, unless
  /// ``fileName`` and ``mimeType`` are set.
  ///
  /// - Parameter message: A text beside it, at most 5,000 characters; it may be empty.
  public init(file: FileContent, message: String = "") {
    fileURL = ""
    self.file = file
    fileName = file.name
    mimeType = MediaTypes.type(ofName: file.name)
    fileSize = file.knownSize ?? 0
    common = UserMessageCreateParams(message: message)
  }

  /// The parameters shared with text messages.
  public subscript<Value>(
    dynamicMember member: WritableKeyPath<UserMessageCreateParams, Value>
  ) -> Value {
    get { common[keyPath: member] }
    set { common[keyPath: member] = newValue }
  }

  /// - Parameter fileID: The id of the uploaded file; `nil` for one at a URL.
  func write(uploadedAs fileID: String?, into writer: inout JSONWriter) {
    writer.member("message_type", "FILE")
    if let fileID { writer.member("file_id", fileID) } else { writer.member("url", fileURL) }
    if fileID != nil { thumbnailSizes.write(into: &writer) }
    if !fileName.isEmpty { writer.member("file_name", fileName) }
    if !mimeType.isEmpty { writer.member("file_type", mimeType) }
    if fileSize != 0, fileID == nil { writer.member("file_size", fileSize) }
    common.write(into: &writer)
  }
}

/// The target of a mention.
public enum MentionType: Sendable, Hashable {
  /// The users it names.
  case users
  /// Everyone in the channel.
  case channel

  init(_ type: ParleyProtocol.MentionType) {
    self =
      switch type {
      case .users: .users
      case .channel: .channel
      }
  }

  /// The name on the wire.
  var wireName: String {
    switch self {
    case .users: "users"
    case .channel: "channel"
    }
  }
}

/// Whether those who are away are to be notified of a message.
public enum PushNotificationDeliveryOption: String, Sendable, Hashable {
  /// As the recipients wish.
  case `default`
  /// Not for this message.
  case suppress
}
