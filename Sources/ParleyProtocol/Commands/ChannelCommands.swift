/// The parameters of the methods that need a channel and no more.
package struct ChannelReference: Sendable, Hashable {
  package var channelURL: String

  package init(_ parameters: Parameters) throws(ServiceError) {
    channelURL = try parameters.channelURL()
  }
}

/// What creating and changing a channel have in common; what is absent is empty, or stays.
package struct ChannelFields: Sendable, Hashable {
  package var name: String?
  package var coverURL: String?
  package var data: String?
  package var customType: String?
  /// Replaces all operators when a channel is changed.
  package var operatorIDs: [String]?

  package init(_ parameters: Parameters) throws(ServiceError) {
    name = try parameters.text("name", limit: Limits.channelNameLength)
    coverURL = try parameters.text("cover_url", limit: Limits.coverURLLength)
    data = try parameters.data("data")
    customType = try parameters.text("custom_type", limit: Limits.customTypeLength)
    operatorIDs = try parameters.userIDs("operator_ids", limit: Limits.operatorCount)
  }
}

/// `channel.create`.
package struct ChannelCreate: Sendable, Hashable {
  /// The server makes one when it is absent.
  package var channelURL: String?
  package var fields: ChannelFields
  package var isEphemeral: Bool

  package init(_ parameters: Parameters) throws(ServiceError) {
    channelURL = try parameters.optionalChannelURL()
    fields = try ChannelFields(parameters)
    isEphemeral = try parameters.boolean("is_ephemeral") ?? false
  }
}

/// `channel.update`.
package struct ChannelUpdate: Sendable, Hashable {
  package var channelURL: String
  package var fields: ChannelFields

  package init(_ parameters: Parameters) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    fields = try ChannelFields(parameters)
  }
}

/// `channel.list`: a page of the channels that fit all that is given, newest first.
package struct ChannelList: Sendable, Hashable {
  /// Part of the name, ignoring case.
  package var nameContains: String?
  /// Part of the `channel_url`.
  package var urlContains: String?
  /// Any of these.
  package var customTypes: [String]?
  /// 1 to 100.
  package var limit: Int
  /// Where the page before ended; `nil` for the first.
  package var token: String?

  package init(_ parameters: Parameters) throws(ServiceError) {
    nameContains = try parameters.text("name_contains", limit: Limits.channelNameLength)
    urlContains = try parameters.text(
      "url_contains", limit: Limits.channelURLLengths.upperBound)
    customTypes = try parameters.texts(
      "custom_types", countLimit: Limits.filterCount, limit: Limits.customTypeLength)
    limit = try parameters.pageSize()
    token = try parameters.pageToken()
  }
}

/// `channel.participants`: a page of the users in a channel.
package struct ChannelParticipants: Sendable, Hashable {
  package var channelURL: String
  /// 1 to 100.
  package var limit: Int
  /// Where the page before ended; `nil` for the first.
  package var token: String?

  package init(_ parameters: Parameters) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    limit = try parameters.pageSize()
    token = try parameters.pageToken()
  }
}

/// `channel.enter`.
package struct ChannelEnter: Sendable, Hashable {
  package var channelURL: String
  /// What the client saw last, if it wants what it missed.
  package var recover: StreamPosition?

  package init(_ parameters: Parameters) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    recover = nil
    guard let position = try parameters.nested("recover") else { return }
    recover = try StreamPosition(position)
  }
}

/// A place in the durable events of one channel.
package struct StreamPosition: Sendable, Hashable {
  /// Names the life of the count.
  package var epoch: String
  /// The last event seen; 0 before the first.
  package var seq: Int64

  package init(epoch: String, seq: Int64) {
    self.epoch = epoch
    self.seq = seq
  }

  init(_ parameters: Parameters) throws(ServiceError) {
    epoch = try parameters.requiredText("epoch", limit: Limits.epochLength)
    guard let seq = try parameters.integer("seq", in: 0...Limits.messageIDs.upperBound) else {
      throw .missing("seq")
    }
    self.seq = seq
  }
}

extension Parameters {
  /// `limit`: the items of a page.
  package func pageSize() throws(ServiceError) -> Int {
    Int(try integer("limit", in: Limits.pageSizes) ?? Limits.defaultPageSize)
  }

  /// `token`: where the page before ended; an empty one, like none, asks for the first.
  package func pageToken() throws(ServiceError) -> String? {
    let token = try text("token", limit: Limits.pageTokenLength)
    return token?.isEmpty == true ? nil : token
  }
}
