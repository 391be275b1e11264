/// Messages that the app's back end is asked about.
extension MessageDraft {
  /// The parameters of the message that are not empty.
  package func hookParameters(inChannel url: String, requestID: String?) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("channel_url", url)
        $0.member("message_type", type.rawValue)
        $0.member("message", text)
        if let file {
          if !file.id.isEmpty { $0.member("file_id", file.id) }
          if !file.url.isEmpty { $0.member("url", file.url) }
          $0.member("file_name", file.name)
          $0.member("file_type", file.type)
          $0.member("file_size", file.size)
        }
        $0.member("data", data)
        $0.member("custom_type", customType)
        $0.member("mention_type", mentionType.rawValue)
        $0.member("mentioned_user_ids", mentionedUserIDs)
        $0.name("metaarray")
        metaArrays.encode(into: &$0)
        $0.member("translation_target_langs", translationLanguages)
        $0.member("push_option", pushOption.rawValue)
        $0.member("silent", isSilent)
        $0.member("req_id", ifKnown: requestID)
      }
    }
  }

  /// Applies the changes of the app's back end, whose values are judged like those of a user.
  ///
  /// - Parameter isInGroup: Whether `silent` has an effect.
  /// - Throws: One of 400100 to 400151, or 400203.
  package func changed(
    by changes: HookChanges, _ limits: CustomDataLimits, isInGroup: Bool
  ) throws(ServiceError) -> MessageDraft {
    let fields = try changes.fields(limits)
    var draft = self
    if let new = try fields.text("message", limit: textLimit) {
      guard !new.isEmpty || type == .file else { throw .missing("message") }
      draft.text = new
    }
    if let new = try fields.data("data") { draft.data = new }
    if let new = try fields.customType() { draft.customType = new }
    if let new = try fields.metaArrays("metaarray", within: limits.metaArrays) {
      draft.metaArrays = new
    }
    if let new = try fields.fewer("mentioned_user_ids", than: mentionedUserIDs) {
      draft.mentionedUserIDs = new
    }
    if let new = try fields.languages("translation_target_langs"), file == nil {
      draft.translationLanguages = new
    }
    if let new = try fields.choice("push_option", of: PushOption.self) { draft.pushOption = new }
    if let new = try fields.boolean("silent"), isInGroup { draft.isSilent = new }
    return draft
  }

  private var textLimit: Int {
    switch type {
    case .user, .file: Limits.messageLength
    case .admin: Limits.adminMessageLength
    }
  }
}

/// Edits that the app's back end is asked about.
extension MessageChanges {
  /// The parameters of the edit that are given.
  package func hookParameters(ofMessage id: Int64, inChannel url: String) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("channel_url", url)
        $0.member("message_id", id)
        $0.member("message", ifKnown: text)
        $0.member("data", ifKnown: data)
        $0.member("custom_type", ifKnown: customType)
        $0.member("mention_type", ifKnown: mentionType?.rawValue)
        if let mentionedUserIDs { $0.member("mentioned_user_ids", mentionedUserIDs) }
      }
    }
  }

  /// Applies the changes of the app's back end, whose values are judged like those of a user.
  ///
  /// - Parameter mentioned: The users whom the message mentions, unless the edit gives a list.
  /// - Throws: One of 400100 to 400151, or 400203.
  package func changed(
    by changes: HookChanges, _ limits: CustomDataLimits, mentioned: [String]
  ) throws(ServiceError) -> MessageChanges {
    let fields = try changes.fields(limits)
    var edit = self
    if let new = try fields.text("message", limit: Limits.messageLength) {
      guard !new.isEmpty else { throw .missing("message") }
      edit.text = new
    }
    if let new = try fields.data("data") { edit.data = new }
    if let new = try fields.customType() { edit.customType = new }
    if let new = try fields.fewer("mentioned_user_ids", than: mentionedUserIDs ?? mentioned) {
      edit.mentionedUserIDs = new
    }
    return edit
  }
}

extension Fields {
  /// A list of user ids that are all in a known list, if given.
  ///
  /// - Throws: 400111 for another user.
  package func fewer(_ name: String, than known: [String]) throws(ServiceError) -> [String]? {
    guard let ids = try userIDs(name, limit: max(known.count, 1)) else { return nil }
    let all = Set(known)
    if let other = ids.first(where: { !all.contains($0) }) {
      throw .invalid(name, other, expected: "one of the users of the call")
    }
    return ids
  }
}
