/// The fields shared by creating and changing a channel; absent ones are empty, or stay unchanged.
package struct ChannelFields: Sendable, Hashable {
  package var name: String?
  package var coverURL: String?
  package var data: String?
  package var customType: String?
  /// Replaces all operators when a channel is changed.
  package var operatorIDs: [String]?
  /// Whether strangers can find and join; of groups only.
  package var isPublic: Bool?
  /// The text with which strangers join; of groups only.
  package var accessCode: String?

  package init(
    name: String? = nil, coverURL: String? = nil, data: String? = nil, customType: String? = nil,
    operatorIDs: [String]? = nil, isPublic: Bool? = nil, accessCode: String? = nil
  ) {
    self.isPublic = isPublic
    self.accessCode = accessCode
    self.name = name
    self.coverURL = coverURL
    self.data = data
    self.customType = customType
    self.operatorIDs = operatorIDs
  }

  package init(_ parameters: Fields) throws(ServiceError) {
    name = try parameters.name("name", limit: Limits.channelNameLength)
    coverURL = try parameters.webURL("cover_url", limit: Limits.coverURLLength)
    data = try parameters.data("data")
    customType = try parameters.customType()
    operatorIDs = try parameters.userIDs("operator_ids", limit: Limits.operatorCount)
  }

  /// Reads the fields of a group.
  package init(group parameters: Fields) throws(ServiceError) {
    try self.init(parameters)
    isPublic = try parameters.boolean("is_public")
    accessCode = try parameters.text("access_code", limit: Limits.accessCodeLength)
  }
}

/// `channel.create`.
package struct ChannelCreate: Sendable, Hashable {
  /// The URL, which the server generates when it is absent.
  package var channelURL: String?
  package var fields: ChannelFields
  /// An uploaded file, whose address is used as the cover.
  package var coverFileID: String?
  package var isEphemeral: Bool

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.optionalChannelURL()
    fields = try ChannelFields(parameters)
    coverFileID = try parameters.fileID("cover_file_id", insteadOf: "cover_url")
    isEphemeral = try parameters.boolean("is_ephemeral") ?? false
  }
}

/// `channel.update`.
package struct ChannelUpdate: Sendable, Hashable {
  package var channelURL: String
  package var fields: ChannelFields
  /// An uploaded file, whose address is used as the cover.
  package var coverFileID: String?

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    fields = try ChannelFields(parameters)
    coverFileID = try parameters.fileID("cover_file_id", insteadOf: "cover_url")
  }
}

/// `channel.enter`.
package struct ChannelEnter: Sendable, Hashable {
  package var channelURL: String
  /// The last event that the client received, if it requests the events it missed.
  package var recover: StreamPosition?

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    recover = nil
    guard let position = try parameters.nested("recover") else { return }
    recover = try StreamPosition(position)
  }
}

/// A position in the durable events of one channel.
package struct StreamPosition: Sendable, Hashable {
  /// Identifies the period for which the count is valid.
  package var epoch: String
  /// The last event received; 0 before the first.
  package var seq: Int64

  package init(epoch: String, seq: Int64) {
    self.epoch = epoch
    self.seq = seq
  }

  init(_ parameters: Fields) throws(ServiceError) {
    epoch = try parameters.requiredText("epoch", limit: Limits.epochLength)
    guard let seq = try parameters.integer("seq", in: 0...Limits.messageIDs.upperBound) else {
      throw .missing("seq")
    }
    self.seq = seq
  }
}

/// `channel.list`: a page of the channels that match all given conditions.
package struct ChannelList: Sendable, Hashable {
  /// Part of the name, ignoring case.
  package var nameContains: String?
  /// Part of the `channel_url`.
  package var urlContains: String?
  /// A list of which one must match.
  package var customTypes: [String]?
  package var freezing: Freezing
  package var order: Order
  /// 1 to 100.
  package var limit: Int
  /// The end of the previous page; `nil` for the first page.
  package var token: String?

  /// Which channels are listed by whether they are frozen.
  package enum Freezing: UInt8, Sendable {
    case any
    case unfrozen
    case frozen
  }

  /// The order of a list of channels.
  package enum Order: String, Sendable, CaseIterable {
    /// Newest channels first.
    case created
    /// Those with the most participants first; then those without participants, newest first.
    case participants
    /// Those with the latest message first, exact to a minute; then those without messages, newest first.
    case latestMessage = "latest_message"
  }

  package init(
    nameContains: String? = nil, urlContains: String? = nil, customTypes: [String]? = nil,
    freezing: Freezing = .any, order: Order = .created, limit: Int = Int(Limits.defaultPageSize),
    token: String? = nil
  ) {
    self.nameContains = nameContains
    self.urlContains = urlContains
    self.customTypes = customTypes
    self.freezing = freezing
    self.order = order
    self.limit = limit
    self.token = token
  }

  package init(_ parameters: Fields) throws(ServiceError) {
    nameContains = try parameters.text("name_contains", limit: Limits.channelNameLength)
    urlContains = try parameters.text(
      "url_contains", limit: Limits.channelURLLengths.upperBound)
    customTypes = try parameters.customTypes()
    freezing = try parameters.channelFreezing()
    order = try parameters.choice("order", of: Order.self) ?? .created
    limit = try parameters.pageSize()
    token = try parameters.pageToken()
  }
}

extension Fields {
  /// `frozen`, or `show_frozen`, which leaves frozen channels out when it is false.
  ///
  /// - Throws: 400920 for a list of frozen channels without frozen channels.
  package func channelFreezing() throws(ServiceError) -> ChannelList.Freezing {
    let isShown = try boolean("show_frozen") ?? true
    guard let isFrozen = try boolean("frozen") else { return isShown ? .any : .unfrozen }
    guard isShown || !isFrozen else {
      throw .notCombinable("frozen", "'show_frozen' is false")
    }
    return isFrozen ? .frozen : .unfrozen
  }
}

/// `channel.participants`: a page of the users in a channel.
package struct ChannelParticipants: Sendable, Hashable {
  package var channelURL: String
  /// 1 to 100.
  package var limit: Int
  /// The end of the previous page; `nil` for the first page.
  package var token: String?

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    limit = try parameters.pageSize()
    token = try parameters.pageToken()
  }
}
