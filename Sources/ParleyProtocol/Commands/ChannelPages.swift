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
  /// The end of the page before; `nil` for the first.
  package var token: String?

  package init(
    nameContains: String? = nil, urlContains: String? = nil, customTypes: [String]? = nil,
    limit: Int = Int(Limits.defaultPageSize), token: String? = nil
  ) {
    self.nameContains = nameContains
    self.urlContains = urlContains
    self.customTypes = customTypes
    self.limit = limit
    self.token = token
  }

  package init(_ parameters: Fields) throws(ServiceError) {
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
  /// The end of the page before; `nil` for the first.
  package var token: String?

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    limit = try parameters.pageSize()
    token = try parameters.pageToken()
  }
}
