/// A message in a channel.
package struct Message: Sendable, Hashable, Identifiable {
  /// Unique in the deployment, increasing in each channel, at most 2^53 − 1.
  package var id: Int64
  package var type: MessageType
  package var channelURL: String
  /// The author; `nil` for an admin message.
  package var user: User?
  package var text: String
  /// The file of a file message; `nil` for others.
  package var file: MessageFile?
  /// The application's own data, which the server does not interpret.
  package var data: String
  package var customType: String
  package var mentionType: MentionType
  package var mentionedUsers: [User]
  package var metaArrays: [MetaArray]
  /// The link preview; `nil` while there is none.
  package var openGraphTag: OpenGraphTag?
  /// Whether the preview is being fetched; set only in the answer to a send and in its event.
  package var isPreviewPending = false
  /// The translated texts by language.
  package var translations: [String: String]
  /// The languages added on demand, the oldest first; some may have been removed.
  package var languagesOnDemand: [String] = []
  /// The client's own identifier of the send; empty when it gave none.
  package var requestID: String
  /// Whether the author was an operator of the channel when the message was sent.
  package var isOperatorMessage: Bool
  /// Unix milliseconds; never decreases within a channel.
  package var createdAt: Int64
  /// Unix milliseconds of the last `message.update`; 0 when there was none.
  package var updatedAt: Int64
  /// The number of the message among the countable ones of its group, from 1; 0 for a silent
  /// message, `nil` in an open channel.
  package var ordinal: Int64?

  package init(
    id: Int64, type: MessageType = .user, channelURL: String, user: User?, text: String,
    file: MessageFile? = nil, data: String = "", customType: String = "",
    mentionType: MentionType = .users,
    mentionedUsers: [User] = [], metaArrays: [MetaArray] = [], openGraphTag: OpenGraphTag? = nil,
    translations: [String: String] = [:], requestID: String = "",
    isOperatorMessage: Bool = false, createdAt: Int64, updatedAt: Int64 = 0,
    ordinal: Int64? = nil
  ) {
    self.id = id
    self.type = type
    self.channelURL = channelURL
    self.user = user
    self.text = text
    self.file = file
    self.data = data
    self.customType = customType
    self.mentionType = mentionType
    self.mentionedUsers = mentionedUsers
    self.metaArrays = metaArrays
    self.openGraphTag = openGraphTag
    self.translations = translations
    self.requestID = requestID
    self.isOperatorMessage = isOperatorMessage
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.ordinal = ordinal
  }

  /// The kind of the message's channel.
  package var channelKind: ChannelKind { ordinal == nil ? .open : .group }

  /// Whether the message counts as unread for nobody.
  package var isSilent: Bool { ordinal == 0 }
}

/// The kind of a message (`type` on the wire).
package enum MessageType: String, Sendable, CaseIterable {
  case user = "MESG"
  case file = "FILE"
  case admin = "ADMM"
}

/// The users that a message mentions (`mention_type` on the wire).
package enum MentionType: String, Sendable, CaseIterable {
  case users
  case channel
}

extension Message {
  /// The message as sent to clients, as a JSON text.
  package func encoded() -> [UInt8] { JSONWriter.bytes(reserving: capacity) { encode(into: &$0) } }

  /// The number of bytes to reserve for the message.
  var capacity: Int { 384 + text.utf8.count + data.utf8.count }

  /// Writes the message in the form of the API contract, reduced to fit into an event; an admin message
  /// has no `user`.
  package func encode(into writer: inout JSONWriter) {
    if mayNotFit { fitted().encodeWhole(into: &writer) } else { encodeWhole(into: &writer) }
  }

  private func encodeWhole(into writer: inout JSONWriter) {
    writer.object {
      encodeOrigin(into: &$0)
      encodeContents(into: &$0)
      encodeAdditions(into: &$0)
      $0.member("req_id", MessageOrigin.isName(requestID) ? "" : requestID)
      $0.member("created_at", createdAt)
      $0.member("updated_at", updatedAt)
      guard let ordinal else { return }
      $0.member("ordinal", ordinal)
      $0.member("silent", isSilent)
    }
  }

  private func encodeOrigin(into writer: inout JSONWriter) {
    writer.member("type", type.rawValue)
    writer.member("message_id", id)
    writer.member("channel_url", channelURL)
    writer.members(raw: channelKind.messageMember)
    guard let user else { return }
    writer.name("user")
    user.encodeReference(into: &writer)
  }

  private func encodeContents(into writer: inout JSONWriter) {
    writer.member("message", text)
    // Most messages consist of their text only: all empty members are written at once.
    guard !isBare else {
      return writer.members(
        raw: #""data":"","custom_type":"","mention_type":"users","mentioned_users":[]"#)
    }
    writer.member("data", data)
    writer.member("custom_type", customType)
    writer.member("mention_type", mentionType.rawValue)
    writer.name("mentioned_users")
    mentionedUsers.encodeReferences(into: &writer)
  }

  /// Whether the message has none of the optional members except the text.
  private var isBare: Bool {
    data.isEmpty && customType.isEmpty && mentionType == .users && mentionedUsers.isEmpty
  }

  private var hasAdditions: Bool {
    !metaArrays.isEmpty || openGraphTag != nil || isPreviewPending || !translations.isEmpty
      || file != nil
  }

  private func encodeAdditions(into writer: inout JSONWriter) {
    guard hasAdditions else {
      return writer.members(
        raw: #""sorted_metaarray":[],"og_tag":null,"translations":{},"file":null"#)
    }
    writer.name("sorted_metaarray")
    metaArrays.encode(into: &writer)
    writer.name("og_tag")
    if let openGraphTag { openGraphTag.encode(into: &writer) } else { writer.null() }
    if isPreviewPending { writer.member("og_pending", true) }
    writer.member("translations", translations)
    writer.name("file")
    if let file { file.encode(into: &writer) } else { writer.null() }
  }

  /// Parses a message.
  ///
  /// - Throws: When its id, type, channel, text or time is missing, or a member has the wrong type.
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
      updatedAt: json.present("updated_at") == nil ? 0 : try reader.integer("updated_at"),
      ordinal: json.present("ordinal") == nil ? nil : try reader.integer("ordinal"))
    isPreviewPending = json["og_pending"]?.bool ?? false
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

/// The file of a file message: its address, and its name, type and size as given by the sender.
package struct MessageFile: Sendable, Hashable {
  /// The id of an uploaded file; empty for a file that is stored elsewhere.
  package var id: String
  package var url: String
  /// The name; empty when it was not given.
  package var name: String
  /// The media type; empty when it was not given.
  package var type: String
  /// The size in bytes; 0 when it was not given.
  package var size: Int64
  /// Whether its bytes are sent only to authorized users with a key.
  package var requiresAuthorization: Bool
  /// Small pictures of the file, in the order in which they were requested.
  package var thumbnails: [MessageThumbnail]

  package init(
    id: String = "", url: String, name: String = "", type: String = "", size: Int64 = 0,
    requiresAuthorization: Bool = false, thumbnails: [MessageThumbnail] = []
  ) {
    self.thumbnails = thumbnails
    self.id = id
    self.url = url
    self.name = name
    self.type = type
    self.size = size
    self.requiresAuthorization = requiresAuthorization
  }
}

extension MessageFile {
  /// Writes the file in the form of the API contract.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("file_id", id)
      $0.member("url", url)
      $0.member("name", name)
      $0.member("type", type)
      $0.member("size", size)
      $0.member("require_auth", requiresAuthorization)
      $0.name("thumbnails")
      $0.array { writer in
        for thumbnail in thumbnails { thumbnail.encode(into: &writer) }
      }
    }
  }

  /// Parses a file; everything except its address may be absent.
  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("file", json)
    var thumbnails: [MessageThumbnail] = []
    if let list = json.present("thumbnails") {
      for node in list.elements { thumbnails.append(try MessageThumbnail(json: node)) }
    }
    self.init(
      id: try reader.optionalText("file_id"), url: try reader.text("url"),
      name: try reader.optionalText("name"),
      type: try reader.optionalText("type"),
      size: json.present("size") == nil ? 0 : try reader.integer("size"),
      requiresAuthorization: json.present("require_auth") == nil
        ? false : try reader.claim("require_auth"), thumbnails: thumbnails)
  }
}
