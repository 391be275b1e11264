extension Message {
  /// The message as clients see it, as a JSON text.
  package func encoded() -> [UInt8] { JSONWriter.bytes(reserving: capacity) { encode(into: &$0) } }

  /// Bytes to reserve for the message.
  var capacity: Int { 384 + text.utf8.count + data.utf8.count }

  /// Writes the message as the contract shows it, as it fits into an event; an admin message has no
  /// `user`.
  package func encode(into writer: inout JSONWriter) {
    fitted().encodeWhole(into: &writer)
  }

  private func encodeWhole(into writer: inout JSONWriter) {
    writer.object {
      encodeOrigin(into: &$0)
      encodeContents(into: &$0)
      encodeAdditions(into: &$0)
      $0.member("req_id", requestID)
      $0.member("created_at", createdAt)
      $0.member("updated_at", updatedAt)
    }
  }

  private func encodeOrigin(into writer: inout JSONWriter) {
    writer.member("type", type.rawValue)
    writer.member("message_id", id)
    writer.member("channel_url", channelURL)
    writer.member("channel_type", "open_channels")
    guard let user else { return }
    writer.name("user")
    user.encodeReference(into: &writer)
  }

  private func encodeContents(into writer: inout JSONWriter) {
    writer.member("message", text)
    writer.member("data", data)
    writer.member("custom_type", customType)
    writer.member("mention_type", mentionType.rawValue)
    writer.name("mentioned_users")
    mentionedUsers.encodeReferences(into: &writer)
  }

  private func encodeAdditions(into writer: inout JSONWriter) {
    writer.name("sorted_metaarray")
    metaArrays.encode(into: &writer)
    writer.name("og_tag")
    if let openGraphTag { openGraphTag.encode(into: &writer) } else { writer.null() }
    writer.member("translations", translations)
    writer.name("file")
    if let file { file.encode(into: &writer) } else { writer.null() }
  }

  /// Reads a message.
  ///
  /// - Throws: When its id, type, channel, text or time is missing, or a member has another type.
  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("message", json)
    self.init(
      id: try reader.integer("message_id"), type: try reader.messageType(),
      channelURL: try reader.text("channel_url"), user: try reader.user(),
      text: try reader.text("message"), file: try reader.file(),
      data: try reader.optionalText("data"),
      customType: try reader.optionalText("custom_type"),
      mentionType: try reader.mentionType(),
      mentionedUsers: try reader.users("mentioned_users"),
      metaArrays: try reader.metaArrays(),
      openGraphTag: json["og_tag"].flatMap(OpenGraphTag.init(json:)),
      translations: try reader.table("translations"),
      requestID: try reader.optionalText("req_id"), createdAt: try reader.integer("created_at"),
      updatedAt: json.present("updated_at") == nil ? 0 : try reader.integer("updated_at"))
  }
}

extension ResourceReader {
  fileprivate func messageType() throws(ResourceError) -> MessageType {
    guard let type = MessageType(rawValue: try text("type")) else { throw wrong("type") }
    return type
  }

  fileprivate func mentionType() throws(ResourceError) -> MentionType {
    guard node.present("mention_type") != nil else { return .users }
    guard let type = MentionType(rawValue: try text("mention_type")) else {
      throw wrong("mention_type")
    }
    return type
  }

  fileprivate func user() throws(ResourceError) -> User? {
    guard let user = node.present("user") else { return nil }
    return try User(json: user)
  }

  fileprivate func file() throws(ResourceError) -> MessageFile? {
    guard let file = node.present("file") else { return nil }
    return try MessageFile(json: file)
  }

  fileprivate func metaArrays() throws(ResourceError) -> [MetaArray] {
    guard let arrays = node.present("sorted_metaarray") else { return [] }
    return try [MetaArray](json: arrays)
  }
}
