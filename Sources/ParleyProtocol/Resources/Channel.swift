/// A channel in its stored form; the users who are in an open channel are counted elsewhere.
package struct Channel: Sendable, Hashable {
  /// 4 to 100 characters of `[A-Za-z0-9_-]`.
  package var url: String
  package var name: String
  package var coverURL: String
  /// The application's own data, which the server does not interpret.
  package var data: String
  package var customType: String
  /// Whether messages are not stored.
  package var isEphemeral: Bool
  /// Whether only operators and the Platform API may send.
  package var isFrozen: Bool
  package var operators: [User]
  /// The metadata that the application stores with the channel.
  package var metadata: [String: String]
  /// The age in seconds at which messages are removed, unless the rules of the deployment remove them earlier;
  /// `nil` if only the rules hold.
  ///
  /// Shown by the Platform API only.
  package var survivalSeconds: Int64?
  /// Unix milliseconds.
  package var createdAt: Int64
  /// `nil` for an open channel.
  package var group: Group?

  package init(
    url: String, name: String = "", coverURL: String = "", data: String = "",
    customType: String = "", isEphemeral: Bool = false, isFrozen: Bool = false,
    operators: [User] = [], metadata: [String: String] = [:], survivalSeconds: Int64? = nil,
    createdAt: Int64, group: Group? = nil
  ) {
    self.url = url
    self.name = name
    self.coverURL = coverURL
    self.data = data
    self.customType = customType
    self.isEphemeral = isEphemeral
    self.isFrozen = isFrozen
    self.operators = operators
    self.metadata = metadata
    self.survivalSeconds = survivalSeconds
    self.createdAt = createdAt
    self.group = group
  }

  package var kind: ChannelKind { group == nil ? .open : .group }
}

extension Channel {
  /// Parses a channel; everything except `channel_url` and the time may be absent.
  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("channel", json)
    self.init(
      url: try reader.text("channel_url"), name: try reader.optionalText("name"),
      coverURL: try reader.optionalText("cover_url"), data: try reader.optionalText("data"),
      customType: try reader.optionalText("custom_type"),
      isEphemeral: try reader.claim("is_ephemeral"), isFrozen: try reader.claim("freeze"),
      operators: try reader.users("operators"), createdAt: try reader.integer("created_at"),
      group: try reader.group())
  }
}

extension Channel {
  /// The size of the channel as JSON, without its operators, in bytes.
  package var byteCount: Int {
    512 + JSONSize.quoted(name) + JSONSize.quoted(coverURL) + JSONSize.quoted(data)
      + JSONSize.quoted(customType)
  }

  /// - Parameter previous: The channel before a change; a change that makes it smaller is allowed.
  /// - Throws: ``ErrorCode/tooLong`` when the channel would not fit into an event.
  package func checkSize(after previous: Channel? = nil) throws(ServiceError) {
    guard byteCount > Limits.channelByteCount, byteCount > previous?.byteCount ?? 0 else { return }
    let isData = JSONSize.quoted(data) >= JSONSize.quoted(coverURL)
    throw .tooLarge(
      "channel", byteCount: byteCount, limit: Limits.channelByteCount,
      field: isData ? "data" : "cover_url")
  }

  /// The `data` that is shown: empty for a channel that was stored before its size was limited and
  /// exceeds the limit.
  var fittingData: String {
    let texts = name.utf8.count + coverURL.utf8.count + data.utf8.count + customType.utf8.count
    guard JSONSize.bound(ofBytes: texts) + 512 > Limits.channelByteCount else { return data }
    return byteCount > Limits.channelByteCount ? "" : data
  }
}

/// A channel as sent to clients: its stored record, and members that are not in the record.
package struct ChannelInfo: Sendable, Hashable {
  package var channel: Channel
  /// The number of users in the channel.
  package var participantCount: Int
  /// The maximum length of a user message's text, in characters.
  package var maxMessageLength: Int

  package init(
    _ channel: Channel, participantCount: Int, maxMessageLength: Int = Limits.messageLength
  ) {
    self.channel = channel
    self.participantCount = participantCount
    self.maxMessageLength = maxMessageLength
  }

  /// The channel as a JSON text.
  package func encoded() -> [UInt8] { JSONWriter.bytes { encode(into: &$0) } }

  /// Writes the channel in the form of the API contract.
  package func encode(into writer: inout JSONWriter) {
    writer.object { encodeMembers(into: &$0) }
  }

  /// Writes the members of the channel's object.
  package func encodeMembers(into writer: inout JSONWriter) {
    if let group = channel.group { return encode(group, into: &writer) }
    encodeRecord(into: &writer)
    writer.member("participant_count", participantCount)
    encodeRest(operatorBytes: Limits.userListByteCount, into: &writer)
  }

  private func encode(_ group: Group, into writer: inout JSONWriter) {
    encodeRecord(into: &writer)
    writer.member("channel_type", ChannelKind.group.rawValue)
    writer.member("is_distinct", group.isDistinct)
    writer.member("is_public", group.isPublic)
    writer.member("is_super", group.isSuper)
    writer.member("is_access_code_required", !group.accessCode.isEmpty)
    writer.member("member_count", group.memberCount)
    writer.member("joined_member_count", group.joinedCount)
    writer.name("created_by")
    if let user = group.createdBy {
      user.withoutPicture().encodeReference(into: &writer)
    } else {
      writer.null()
    }
    // The creator and the numbers take some of the room.
    encodeRest(operatorBytes: Limits.userListByteCount - 2_048, into: &writer)
  }

  private func encodeRecord(into writer: inout JSONWriter) {
    writer.member("channel_url", channel.url)
    writer.member("name", channel.name)
    writer.member("cover_url", channel.coverURL)
    writer.member("data", channel.fittingData)
    writer.member("custom_type", channel.customType)
    writer.member("is_ephemeral", channel.isEphemeral)
    writer.member("freeze", channel.isFrozen)
  }

  private func encodeRest(operatorBytes: Int, into writer: inout JSONWriter) {
    writer.member("max_length_message", maxMessageLength)
    writer.name("operators")
    channel.operators.fitted(toBytes: operatorBytes).encodeReferences(into: &writer)
    writer.member("created_at", channel.createdAt)
  }

  /// Parses a channel; everything except its URL and its time may be absent.
  package init(json: JSONNode) throws(ResourceError) {
    channel = try Channel(json: json)
    participantCount = max(0, Int(clamping: json["participant_count"]?.integer ?? 0))
    maxMessageLength = Int(
      clamping: json["max_length_message"]?.integer ?? Int64(Limits.messageLength))
  }
}

extension ResourceReader {
  /// The members of a group; `nil` for an open channel.
  fileprivate func group() throws(ResourceError) -> Group? {
    guard try optionalText("channel_type") == ChannelKind.group.rawValue else { return nil }
    return Group(
      isDistinct: try claim("is_distinct"), isPublic: try claim("is_public"),
      isSuper: try claim("is_super"),
      createdBy: try node.present("created_by").map { node throws(ResourceError) in
        try User(json: node)
      },
      memberCount: try count("member_count"), joinedCount: try count("joined_member_count"))
  }
}
