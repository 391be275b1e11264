/// A message sent over the Platform API: on behalf of a user, or from the administrator.
package struct MessageSubmission: Sendable, Hashable {
  /// The user on whose behalf it is sent; `nil` for an admin message.
  package var userID: String?
  /// The back end's own identifier of the send, by which repetitions are recognised.
  package var requestID: String?
  /// The time of an imported message, in Unix milliseconds; `nil` for one that is sent now.
  package var createdAt: Int64?
  package var draft: MessageDraft

  /// The names of the fields that are read; other fields of a form are ignored.
  package static let fieldNames = Set(
    [
      "message_type", "user_id", "dedup_id", "req_id", "message", "data", "custom_type",
      "mention_type", "mentioned_user_ids", "sorted_metaarray", "metaarray", "url", "file_name",
      "file_type", "file_size", "require_auth", "thumbnail_sizes", "thumbnail1", "thumbnail2",
      "thumbnail3", "translation_target_langs", "created_at", "is_silent", "send_push",
      "push_message_template", "mark_as_read",
    ] + UnsupportedMember.ofMessages.map(\.name))

  /// Reads the fields of the request.
  ///
  /// - Throws: One of 400100 to 400151, 400203, 400305 or 400920.
  package init(_ parameters: Fields) throws(ServiceError) {
    guard let type = try parameters.choice("message_type", of: MessageType.self) else {
      throw .missing("message_type")
    }
    userID = type == .admin ? nil : try parameters.userID()
    requestID = try parameters.requestID()
    createdAt = try parameters.integer("created_at", in: Limits.importTimes)
    draft = try MessageDraft(type, parameters)
    draft.isSilent = try parameters.boolean("is_silent") ?? false
    draft.marksAsRead = try parameters.boolean("mark_as_read") ?? true
    let template = try parameters.nested("push_message_template").map(PushMessageTemplate.init)
    let isPushed = try parameters.boolean("send_push") ?? (type != .admin)
    draft.push = isPushed ? PushIntent(template) : nil
    try parameters.refuse(UnsupportedMember.ofMessages)
    guard createdAt != nil else { return }
    for name in ["thumbnail_sizes", "translation_target_langs"] where parameters.asks(for: name) {
      throw .notCombinable(name, "a message with 'created_at' is imported as it is")
    }
  }
}

extension MessageDraft {
  init(_ type: MessageType, _ parameters: Fields) throws(ServiceError) {
    self.init(
      type: type, text: try Self.text(type, parameters),
      file: type == .file ? try MessageFile(submitted: parameters) : nil,
      data: try parameters.data("data") ?? "",
      customType: try parameters.customType() ?? "",
      mentionType: try parameters.choice("mention_type", of: MentionType.self) ?? .users,
      mentionedUserIDs: try parameters.mentionedUserIDs(
        limit: Limits.platformMentionedUserCount) ?? [],
      metaArrays: try parameters.sentMetaArrays() ?? [],
      thumbnailSizes: type == .file ? try parameters.thumbnailSizes() : nil)
    let languages = try parameters.languages("translation_target_langs") ?? []
    if type != .file { translationLanguages = languages }
  }

  private static func text(
    _ type: MessageType, _ parameters: Fields
  ) throws(ServiceError) -> String {
    switch type {
    case .user: try parameters.requiredText("message", limit: Limits.messageLength)
    case .admin: try parameters.requiredText("message", limit: Limits.adminMessageLength)
    case .file: try parameters.text("message", limit: Limits.messageLength) ?? ""
    }
  }
}

extension MessageFile {
  /// Reads a file with thumbnails supplied by the sender, in `thumbnail1` to `thumbnail3`.
  fileprivate init(submitted parameters: Fields) throws(ServiceError) {
    try self.init(parameters)
    for name in ["thumbnail1", "thumbnail2", "thumbnail3"] {
      guard let text = try parameters.text(name, limit: Limits.fileURLLength), !text.isEmpty else {
        continue
      }
      let url = try parameters.requiredWebURL(name, limit: Limits.fileURLLength)
      thumbnails.append(MessageThumbnail(url: url))
    }
  }
}

/// Parameters with different names on the socket and in the Platform API; both accept both names.
extension Fields {
  /// `req_id` or `dedup_id`; an empty one counts as absent.
  func requestID() throws(ServiceError) -> String? {
    let id = try text(oneOf("req_id", "dedup_id"), limit: Limits.requestIDLength)
    return id?.isEmpty == true ? nil : id
  }

  /// `metaarray` or `sorted_metaarray`: extra data of a new message.
  func sentMetaArrays() throws(ServiceError) -> [MetaArray]? {
    try metaArrays(oneOf("metaarray", "sorted_metaarray"), within: limits.metaArrays)
  }

  /// Returns which of two names has a value; the first if neither has one.
  ///
  /// - Throws: 400920 if both have a value.
  private func oneOf(_ first: String, _ second: String) throws(ServiceError) -> String {
    guard value(second) != nil else { return first }
    guard value(first) == nil else {
      throw .notCombinable(second, "'\(first)' and '\(second)' are two names of one parameter")
    }
    return second
  }
}
