/// The parameters of the methods that need a message and no more.
package struct MessageReference: Sendable, Hashable {
  package var channelURL: String
  /// 1 to 2^53 − 1.
  package var messageID: Int64

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    messageID = try parameters.messageID()
  }
}

/// `message.translate`.
package struct MessageTranslate: Sendable, Hashable {
  package var reference: MessageReference
  /// Tags, each once whatever its case; at least one.
  package var languages: [String]

  package init(_ parameters: Fields) throws(ServiceError) {
    reference = try MessageReference(parameters)
    languages = try parameters.targetLanguages()
  }
}

extension Fields {
  /// `target_langs`, which must name a language.
  package func targetLanguages() throws(ServiceError) -> [String] {
    let languages = try languages("target_langs") ?? []
    guard !languages.isEmpty else { throw .missing("target_langs") }
    return languages
  }
}

/// `message.update`: what is absent stays as it is.
package struct MessageUpdate: Sendable, Hashable {
  package var reference: MessageReference
  package var changes: MessageChanges

  package init(_ parameters: Fields) throws(ServiceError) {
    reference = try MessageReference(parameters)
    changes = try MessageChanges(parameters)
    guard !changes.isEmpty else { throw .missing("message") }
  }
}

/// Changes of a message; `nil` leaves a part as it is.
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

  /// - Parameter mentionLimit: Mentioned users at most.
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

  /// Whether nothing is to change.
  package var isEmpty: Bool { self == MessageChanges() }
}

/// `message.create_metaarray_keys`, `message.delete_metaarray_keys`.
package struct MessageMetaArrayKeys: Sendable, Hashable {
  package var reference: MessageReference
  /// At least one, each once.
  package var keys: [String]

  package init(
    _ parameters: Fields, within limits: MetaArrayLimits
  ) throws(ServiceError) {
    reference = try MessageReference(parameters)
    keys = try parameters.metaArrayKeys("keys", within: limits)
  }
}

/// `message.add_metaarray_values`, `message.remove_metaarray_values`.
package struct MessageMetaArrayValues: Sendable, Hashable {
  package var reference: MessageReference
  /// At least one key, in the order given.
  package var values: [MetaArray]

  package init(
    _ parameters: Fields, within limits: MetaArrayLimits
  ) throws(ServiceError) {
    reference = try MessageReference(parameters)
    values = try parameters.metaArrayTable("values", within: limits)
  }
}
