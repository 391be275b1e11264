/// Conditions on the messages of a list or of a search, all of which a message must meet.
package struct MessageFilter: Sendable, Hashable {
  package var type: MessageType?
  /// Any of these; empty for all.
  package var customTypes: [String]
  /// Any of these authors; empty for all.
  package var senderIDs: [String]
  /// The user that a message mentions, by itself or with its whole channel.
  package var mentionedUserID: String?
  /// Whether a message has a file.
  package var hasFile: Bool?
  /// Whether a message has an address of the web in its text, or the preview of one.
  package var hasLink: Bool?
  /// The earliest change of a message in Unix milliseconds; without changes, a message does not match.
  package var updatedSince: Int64?
  /// The earliest `created_at` in Unix milliseconds.
  package var from: Int64?
  /// The latest `created_at` in Unix milliseconds.
  package var to: Int64?

  package init(
    type: MessageType? = nil, customTypes: [String] = [], senderIDs: [String] = [],
    mentionedUserID: String? = nil, hasFile: Bool? = nil, hasLink: Bool? = nil,
    updatedSince: Int64? = nil, from: Int64? = nil, to: Int64? = nil
  ) {
    self.type = type
    self.customTypes = customTypes
    self.senderIDs = senderIDs
    self.mentionedUserID = mentionedUserID
    self.hasFile = hasFile
    self.hasLink = hasLink
    self.updatedSince = updatedSince
    self.from = from
    self.to = to
  }

  /// The beginnings of addresses, in lower case.
  package static let linkBeginnings = ["http://", "https://"]

  /// Whether a message of the filtered list matches.
  package func matches(_ message: Message) -> Bool {
    func fits<Value: Equatable>(_ wanted: Value?, _ value: Value) -> Bool {
      (wanted ?? value) == value
    }
    return fits(type, message.type) && fits(hasFile, message.file != nil)
      && fits(hasLink, message.hasLink)
      && (customTypes.isEmpty || customTypes.contains(message.customType))
      && (senderIDs.isEmpty || message.user.map { senderIDs.contains($0.id) } ?? false)
      && mentionedUserID.map(message.mentions) ?? true
      && updatedSince.map { message.updatedAt >= $0 && message.updatedAt > 0 } ?? true
      && from.map { message.createdAt >= $0 } ?? true
      && to.map { message.createdAt <= $0 } ?? true
  }
}

extension Message {
  fileprivate var hasLink: Bool {
    let text = text.lowercased()
    return openGraphTag != nil || MessageFilter.linkBeginnings.contains { text.contains($0) }
  }

  fileprivate func mentions(_ userID: String) -> Bool {
    mentionType == .channel || mentionedUsers.contains { $0.id == userID }
  }
}

extension MessageFilter {
  /// - Throws: 400920 when `from_ts` is after `to_ts`.
  package init(_ parameters: Fields) throws(ServiceError) {
    self.init(
      type: try parameters.choice("message_type", of: MessageType.self),
      customTypes: try parameters.customTypes() ?? [],
      senderIDs: try parameters.userIDs("sender_ids", limit: Limits.filterCount) ?? [],
      mentionedUserID: try parameters.optionalUserID("mentioned_user_id"),
      hasFile: try parameters.boolean("has_file"), hasLink: try parameters.boolean("has_link"),
      updatedSince: try parameters.integer("updated_since", in: Limits.timestamps))
    try readTimes(parameters, "from_ts", "to_ts")
  }

  /// Reads the query of the Platform API, which may also contain a single author in `sender_id`, and `*`
  /// in `custom_types` for all types.
  ///
  /// - Throws: 400920 for `sender_id` together with `sender_ids`, and when `from_ts` is after `to_ts`.
  init(query: Fields) throws(ServiceError) {
    try self.init(query)
    if customTypes == ["*"] { customTypes = [] }
    guard let senderID = try query.optionalUserID("sender_id") else { return }
    guard senderIDs.isEmpty else {
      throw .notCombinable("sender_id", "'sender_ids' is given too")
    }
    senderIDs = [senderID]
  }

  /// Reads the times between which messages were sent.
  ///
  /// - Throws: 400920 when the first is after the last.
  mutating func readTimes(
    _ parameters: Fields, _ first: String, _ last: String
  ) throws(ServiceError) {
    from = try parameters.integer(first, in: Limits.timestamps)
    to = try parameters.integer(last, in: Limits.timestamps)
    guard let from, let to, from > to else { return }
    throw .notCombinable(first, "\(from) is after '\(last)', which is \(to)")
  }
}
