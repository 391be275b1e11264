import LinkPreview
import ParleyProtocol

/// A change of one message, judged against the message when the change's turn comes.
enum MessageChange: Sendable {
  case edit(MessageChanges)
  case metaArrays(MetaArrayChange)
  case deletion
  /// An addition to a message that still has this text, unless the addition is independent of the text.
  case enrichment(Enrichment, text: String)
}

/// A change of one message that waits for its turn.
struct PendingChange: Sendable {
  var change: MessageChange
  /// The messages that the caller may change.
  let right: ChangeRight
  /// The caller as the author of a text; `nil` for the Platform API.
  let authorID: String?
  /// The connection that receives the change as the answer.
  let session: SessionAddress?
  /// `nil` for the server's own changes, and once the call is answered.
  var call: CallID?
  /// Its place in the flood window; `nil` if it took none.
  let place: FloodPlace?
  /// See ``Member/visibleFrom``.
  var visibleFrom: Int64 = 0
}

/// The decision on a change.
enum ChangeDecision: Sendable {
  /// The message needs no change.
  case nothing
  case replace(Replacement)
  case delete
}

/// The new version of a message.
struct Replacement: Sendable {
  var message: Message
  /// The new list of mentioned users; `nil` keeps the present one.
  var mentionedUserIDs: [String]?
  /// The known preview of a new text; `nil` if the text is unchanged.
  var preview: LinkKnowledge?
  /// The languages of the former text's translations, if the text is new.
  var languages: [String] = []

  /// Whether a message that was read has everything that this replacement would write.
  func isIn(_ found: Message) -> Bool {
    var expected = message
    expected.user = found.user
    expected.mentionedUsers = found.mentionedUsers
    return expected == found
  }
}

extension PendingChange {
  /// Decides on the change of a message.
  ///
  /// - Throws: 400108 for a caller who may not change the message, otherwise the error of the values.
  func decision(
    on message: Message, _ sources: JudgeSources, at now: Int64
  ) throws(ServiceError) -> ChangeDecision {
    switch change {
    case .deletion:
      try right.require(message)
      return .delete
    case .edit(let changes):
      try right.require(message)
      return .replace(try edit(message, changes, sources, at: now))
    case .metaArrays(let change):
      if change.right == .change { try right.require(message) }
      let arrays = try change.applied(
        to: message.metaArrays, within: sources.metaArrayLimits,
        mayCreateKeys: right.covers(message))
      guard arrays != message.metaArrays else { return .nothing }
      var changed = message
      changed.metaArrays = arrays
      changed.removeExcessTranslations()
      try MessageSize(changed).check(after: MessageSize(message))
      return .replace(Replacement(message: changed))
    case .enrichment(let enrichment, let text):
      guard enrichment.outlivesText || message.text == text,
        let changed = enrichment.applied(to: message)
      else {
        return .nothing
      }
      return .replace(Replacement(message: changed))
    }
  }

  private func edit(
    _ message: Message, _ changes: MessageChanges, _ sources: JudgeSources, at now: Int64
  ) throws(ServiceError) -> Replacement {
    var changed = message
    if let text = changes.text {
      try message.requireLength(of: text)
      changed.text = text
      if let filter = sources.wordFilter, message.type != .admin {
        changed.text = try filter.filtered(text)
      }
      // Translations belong to a text.
      if changed.text != message.text { changed.translations = [:] }
    }
    if let data = changes.data { changed.data = data }
    if let customType = changes.customType { changed.customType = customType }
    if let mentionType = changes.mentionType { changed.mentionType = mentionType }
    changed.removeExcessTranslations()
    try MessageSize(changed).check(after: MessageSize(message))
    // Never before the message's own times, even if the clock has been set back.
    changed.updatedAt = max(now, message.createdAt, message.updatedAt)
    // The log keeps the mentions of a replacement without a list.
    let hasOtherType = changed.mentionType != message.mentionType
    var replacement = Replacement(
      message: changed,
      mentionedUserIDs: changes.mentionedUserIDs
        ?? (hasOtherType ? message.mentionedUsers.map(\.id) : nil))
    // The preview belongs to the text.
    if changed.text != message.text {
      let preview = sources.preview(ofText: changed.text, in: message.type, by: authorID)
      replacement.message.openGraphTag = preview.tag
      replacement.preview = preview
      replacement.languages = message.translations.keys.sorted()
    }
    return replacement
  }
}

extension Message {
  /// Admin messages have a lower limit than users' messages.
  fileprivate func requireLength(of text: String) throws(ServiceError) {
    guard type != .admin || text.unicodeScalars.count <= Limits.adminMessageLength else {
      throw .tooLong("message", limit: Limits.adminMessageLength)
    }
  }
}
