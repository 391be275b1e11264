/// A message as its author wrote it, before it is given an id and a time.
package struct MessageDraft: Sendable, Hashable {
  package var type: MessageType
  /// The text, 1 to 5,000 characters; may be empty in a file message.
  package var text: String
  /// The file of a file message; `nil` for others.
  package var file: MessageFile?
  package var data: String
  package var customType: String
  package var mentionType: MentionType
  /// The mentioned users, without duplicates.
  package var mentionedUserIDs: [String]
  package var metaArrays: [MetaArray]
  package var pushOption: PushOption
  /// The requested thumbnails; `nil` uses those of the upload.
  package var thumbnailSizes: [ThumbnailSize]?
  /// The languages into which the text is to be translated; empty for a file.
  package var translationLanguages: [String]
  /// Whether members of a group do not count the message as unread.
  package var isSilent = false
  /// Whether the author has read a group up to the message.
  package var marksAsRead = true
  /// How the message is pushed unless ``pushOption`` suppresses it; `nil` for one that is not pushed.
  package var push: PushIntent? = .plain

  package init(
    type: MessageType = .user, text: String, file: MessageFile? = nil, data: String = "",
    customType: String = "",
    mentionType: MentionType = .users,
    mentionedUserIDs: [String] = [], metaArrays: [MetaArray] = [],
    pushOption: PushOption = .default, thumbnailSizes: [ThumbnailSize]? = nil,
    translationLanguages: [String] = []
  ) {
    self.translationLanguages = translationLanguages
    self.thumbnailSizes = thumbnailSizes
    self.type = type
    self.text = text
    self.file = file
    self.data = data
    self.customType = customType
    self.mentionType = mentionType
    self.mentionedUserIDs = mentionedUserIDs
    self.metaArrays = metaArrays
    self.pushOption = pushOption
    if type == .admin { push = nil }
  }

  /// Reads a user's text message, or a file message.
  ///
  /// - Throws: One of 400100 to 400151, 400203 or 400305.
  package init(_ parameters: Fields) throws(ServiceError) {
    switch try parameters.choice("message_type", of: SendableMessageType.self) {
    case nil, .user:
      guard parameters.value("file_id") == nil else {
        throw .notCombinable("file_id", "only a message of the type FILE has a file")
      }
      try self.init(
        .user, text: parameters.requiredText("message", limit: Limits.messageLength), file: nil,
        parameters)
    case .file: try self.init(file: parameters)
    }
  }

  /// Reads a message with a file, which is given by its address or was uploaded.
  init(file parameters: Fields) throws(ServiceError) {
    try self.init(
      .file, text: parameters.text("message", limit: Limits.messageLength) ?? "",
      file: MessageFile(sent: parameters), parameters)
  }

  /// Reads a message whose file will be uploaded.
  init(ofUpload parameters: Fields) throws(ServiceError) {
    guard try parameters.choice("message_type", of: SendableMessageType.self) != .user else {
      throw .invalid("message_type", "MESG", expected: "FILE")
    }
    for name in ["url", "file_id"] where parameters.value(name) != nil {
      throw .notCombinable(name, "the message has the file that is uploaded")
    }
    try self.init(
      .file, text: parameters.text("message", limit: Limits.messageLength) ?? "",
      file: MessageFile(named: parameters), parameters)
  }

  private init(
    _ type: MessageType, text: String, file: MessageFile?, _ parameters: Fields
  ) throws(ServiceError) {
    self.type = type
    self.text = text
    self.file = file
    data = try parameters.data("data") ?? ""
    customType = try parameters.customType() ?? ""
    mentionType = try parameters.choice("mention_type", of: MentionType.self) ?? .users
    mentionedUserIDs = try parameters.mentionedUserIDs() ?? []
    metaArrays = try parameters.sentMetaArrays() ?? []
    pushOption = try parameters.choice("push_option", of: PushOption.self) ?? .default
    thumbnailSizes = file == nil ? nil : try parameters.thumbnailSizes()
    let languages = try parameters.languages("translation_target_langs") ?? []
    translationLanguages = file == nil ? languages : []
  }
}

extension MessageDraft {
  /// How the message is pushed; `nil` for one that is not.
  package var pushes: PushIntent? {
    switch pushOption {
    case .default: push
    case .suppress: nil
    }
  }

  /// Writes the parameters of a message whose file will be uploaded; empty ones are left out.
  func encodeParameters(into writer: inout JSONWriter) {
    let texts: [(name: StaticString, text: String)] = [
      ("message", text), ("file_name", file?.name ?? ""), ("file_type", file?.type ?? ""),
      ("data", data), ("custom_type", customType),
    ]
    for (name, text) in texts where !text.isEmpty { writer.member(name, text) }
    if file?.requiresAuthorization == true { writer.member("require_auth", true) }
    writer.member("mention_type", mentionType.rawValue)
    if !mentionedUserIDs.isEmpty { writer.member("mentioned_user_ids", mentionedUserIDs) }
    if !metaArrays.isEmpty {
      writer.name("metaarray")
      metaArrays.encode(into: &writer)
    }
    writer.member("push_option", pushOption.rawValue)
    guard let thumbnailSizes else { return }
    writer.member(
      "thumbnail_sizes",
      array: {
        for size in thumbnailSizes {
          $0.object {
            $0.member("max_width", size.maxWidth)
            $0.member("max_height", size.maxHeight)
          }
        }
      })
  }
}

/// Whether absent users are to be notified (`push_option` on the wire).
package enum PushOption: String, Sendable, CaseIterable {
  case `default`
  case suppress
}

/// The types that a client may specify; only the Platform API sends admin messages.
private enum SendableMessageType: String, CaseIterable {
  case user = "MESG"
  case file = "FILE"
}

extension Fields {
  /// The optional `mentioned_user_ids`, without duplicates.
  package func mentionedUserIDs(
    limit: Int = Limits.mentionedUserCount
  ) throws(ServiceError) -> [String]? {
    try userIDs("mentioned_user_ids", limit: limit)
  }
}

extension MessageFile {
  /// Reads either `url`, like ``init(_:)``, or `file_id` with an optional name and type that replace
  /// those of the upload.
  ///
  /// - Throws: 400920 if both are given, 400105 if neither is.
  init(sent parameters: Fields) throws(ServiceError) {
    guard let id = try parameters.text("file_id", limit: Limits.fileIDLength), !id.isEmpty else {
      try self.init(parameters)
      return
    }
    guard parameters.value("url") == nil else {
      throw .notCombinable("file_id", "a message has a url or a file_id")
    }
    try self.init(named: parameters)
    self.id = id
  }

  /// Reads the name, the type, and whether the file requires a key.
  init(named parameters: Fields) throws(ServiceError) {
    self.init(
      url: "", name: try parameters.name("file_name", limit: Limits.fileNameLength) ?? "",
      type: try parameters.text("file_type", limit: Limits.fileTypeLength) ?? "",
      requiresAuthorization: try parameters.boolean("require_auth") ?? false)
  }

  /// Reads the required `url`, and `file_name`, `file_type` and `file_size`.
  ///
  /// - Throws: One of 400100 to 400151; 400111 unless `url` is one of http or https.
  init(_ parameters: Fields) throws(ServiceError) {
    self.init(
      url: try parameters.requiredWebURL("url", limit: Limits.fileURLLength),
      name: try parameters.name("file_name", limit: Limits.fileNameLength) ?? "",
      type: try parameters.text("file_type", limit: Limits.fileTypeLength) ?? "",
      size: try parameters.integer("file_size", in: 0...Limits.messageIDs.upperBound) ?? 0)
    // The server cannot protect a file that is stored elsewhere.
    _ = try parameters.boolean("require_auth")
  }
}
