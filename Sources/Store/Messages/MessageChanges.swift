package import ParleyProtocol

/// What to change of a message; `nil` leaves a field as it is.
package struct MessageChanges: Sendable, Hashable {
  package var text: String?
  package var data: String?
  package var customType: String?
  package var mentionType: MentionType?
  /// Those that are no users are dropped.
  package var mentionedUserIDs: [String]?
  package var preview: PreviewChange

  /// What becomes of the link preview.
  package enum PreviewChange: Sendable, Hashable {
    case keep
    case replace(OpenGraphTag?)
  }

  package init(
    text: String? = nil, data: String? = nil, customType: String? = nil,
    mentionType: MentionType? = nil, mentionedUserIDs: [String]? = nil,
    preview: PreviewChange = .keep
  ) {
    self.text = text
    self.data = data
    self.customType = customType
    self.mentionType = mentionType
    self.mentionedUserIDs = mentionedUserIDs
    self.preview = preview
  }
}
