extension Fields {
  /// `target_langs`, which must contain a language.
  package func targetLanguages() throws(ServiceError) -> [String] {
    let languages = try languages("target_langs") ?? []
    guard !languages.isEmpty else { throw .missing("target_langs") }
    return languages
  }
}

/// The changes to a message; `nil` leaves a part unchanged.
package struct MessageChanges: Sendable, Hashable {
  /// 1 to 5,000 characters.
  package var text: String?
  package var data: String?
  package var customType: String?
  package var mentionType: MentionType?
  package var mentionedUserIDs: [String]?

  package init(
    text: String? = nil, data: String? = nil, customType: String? = nil,
    mentionType: MentionType? = nil, mentionedUserIDs: [String]? = nil
  ) {
    self.text = text
    self.data = data
    self.customType = customType
    self.mentionType = mentionType
    self.mentionedUserIDs = mentionedUserIDs
  }

  /// - Parameter mentionLimit: The maximum number of mentioned users.
  package init(
    _ parameters: Fields, mentionLimit: Int = Limits.mentionedUserCount
  ) throws(ServiceError) {
    text = try parameters.text("message", limit: Limits.messageLength)
    guard text != "" else { throw .missing("message") }
    data = try parameters.data("data")
    customType = try parameters.customType()
    mentionType = try parameters.choice("mention_type", of: MentionType.self)
    mentionedUserIDs = try parameters.mentionedUserIDs(limit: mentionLimit)
  }

  /// Whether there are no changes.
  package var isEmpty: Bool { self == MessageChanges() }
}
