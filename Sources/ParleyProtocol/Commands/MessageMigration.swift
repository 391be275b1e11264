/// Messages of another system that a back end imports into a channel, in any order.
package struct MessageMigration: Sendable, Hashable {
  /// The change of the members' read positions in a group after an import.
  package enum ReadPositions: Sendable, Hashable {
    case keep
    /// Forward to the newest of the messages.
    case update
    /// Back to before the oldest of the messages.
    case rewind
  }

  /// 1 to ``messageLimit`` messages.
  package var messages: [MigratedMessage]
  package var readPositions: ReadPositions

  /// The number of messages in a call.
  package static let messageLimit = 100
  /// The time by which a message may be ahead of the server's clock, in milliseconds.
  package static let clockTolerance: Int64 = 60_000

  /// Reads the body of the request.
  ///
  /// Errors name the message and its member, such as `messages[3].timestamp`.
  ///
  /// - Parameter now: The time of the server, in Unix milliseconds.
  /// - Throws: One of 400100 to 400151, or 400920.
  package init(_ parameters: Fields, at now: Int64) throws(ServiceError) {
    let nodes = try parameters.value("messages")?.nodes("messages", limit: Self.messageLimit)
    guard let nodes, !nodes.isEmpty else { throw .missing("messages") }
    messages = []
    messages.reserveCapacity(nodes.count)
    for (index, node) in nodes.enumerated() {
      do throws(ServiceError) {
        guard node.kind == .object else { throw .notObjects("messages") }
        let message = try MigratedMessage(Fields(node, limits: parameters.limits))
        try message.checkTime(at: now)
        messages.append(message)
      } catch {
        throw error.within("messages[\(index)]")
      }
    }
    let updates = try parameters.boolean("update_read_ts") ?? false
    let rewinds = try parameters.boolean("rewind_read_ts") ?? false
    guard !updates || !rewinds else {
      throw .notCombinable("rewind_read_ts", "'update_read_ts' moves read positions forward")
    }
    readPositions = updates ? .update : rewinds ? .rewind : .keep
  }

  /// Refuses messages that would be removed because of their age.
  ///
  /// - Parameter horizon: The time before which messages of the channel are removed, in Unix milliseconds.
  /// - Throws: 400111, which names the first of them.
  package func requireTimes(from horizon: Int64) throws(ServiceError) {
    guard let index = messages.firstIndex(where: { $0.createdAt < horizon }) else { return }
    throw ServiceError.invalid(
      "timestamp", String(messages[index].createdAt),
      expected:
        "\(horizon) or later, because older messages are removed: see 'store.retention_days', "
        + "'store.retention' and the channel's own retention"
    ).within("messages[\(index)]")
  }
}

/// A message of another system.
package struct MigratedMessage: Sendable, Hashable {
  /// The author; `nil` for an admin message.
  package var userID: String?
  /// Unix milliseconds.
  package var createdAt: Int64
  /// The other system's own identifier, by which a repeated import is recognised; unique in the channel.
  package var dedupID: String?
  package var draft: MessageDraft

  package init(
    userID: String?, createdAt: Int64, dedupID: String? = nil, draft: MessageDraft
  ) {
    self.userID = userID
    self.createdAt = createdAt
    self.dedupID = dedupID
    self.draft = draft
  }

  fileprivate init(_ parameters: Fields) throws(ServiceError) {
    let type = try parameters.choice("message_type", of: MessageType.self)
    guard let type else { throw .missing("message_type") }
    userID = type == .admin ? nil : try parameters.userID()
    guard let time = try parameters.value("timestamp")?.integer("timestamp") else {
      throw .missing("timestamp")
    }
    createdAt = time
    dedupID = try parameters.requestID()
    _ = try parameters.boolean("is_silent")
    draft = try MessageDraft(type, parameters)
    draft.push = nil
    if type == .file {
      draft.file?.thumbnails += try parameters.migratedThumbnails()
      if draft.data.isEmpty { draft.data = try parameters.data("custom_field") ?? "" }
    }
    try MessageSize.check(draft)
  }

  /// - Throws: 400111 for a time that is no past one in Unix milliseconds.
  fileprivate func checkTime(at now: Int64) throws(ServiceError) {
    let range = Limits.importTimes.lowerBound...(now + MessageMigration.clockTolerance)
    guard range.contains(createdAt) else {
      throw .invalid(
        "timestamp", String(createdAt),
        expected: "a time in Unix milliseconds from \(range.lowerBound) to \(range.upperBound)")
    }
  }
}

extension Fields {
  /// The `thumbnails` of a migrated file: addresses, or objects with one.
  fileprivate func migratedThumbnails() throws(ServiceError) -> [MessageThumbnail] {
    let nodes = try value("thumbnails")?.nodes("thumbnails", limit: Limits.thumbnailCount) ?? []
    var thumbnails: [MessageThumbnail] = []
    for node in nodes {
      guard node.kind == .object else { throw .notObjects("thumbnails") }
      let url = try Fields(node).requiredWebURL("url", limit: Limits.fileURLLength)
      thumbnails.append(MessageThumbnail(url: url))
    }
    return thumbnails
  }
}

extension ServiceError {
  /// The same refusal for a member of an item of a list.
  ///
  /// - Parameter item: The item, such as `messages[3]`.
  package func within(_ item: String) -> ServiceError {
    var error = self
    guard let field = data.field, field != "messages" else {
      error.message = "'\(item)': \(message)"
      error.data.field = item
      return error
    }
    let name = "\(item).\(field)"
    error.message =
      message.contains("'\(field)'")
      ? message.replacing("'\(field)'", with: "'\(name)'") : "'\(name)': \(message)"
    error.data.field = name
    return error
  }
}
