/// The order of the messages that a search finds.
package enum SearchOrder: String, Sendable, CaseIterable {
  /// By their ids, the newest first.
  case time
  /// Those that match best first.
  case score
}

/// `message.search`: the messages in which words occur.
package struct MessageSearch: Sendable, Hashable {
  /// The words, of which there may be none.
  package var query: String
  /// Whether the query is one phrase of whole words.
  package var isExact: Bool
  /// `nil` for all channels.
  package var channelURL: String?
  /// The custom type of the channel.
  package var channelCustomType: String?
  package var filter: MessageFilter
  package var order: SearchOrder
  /// Whether the order is the other way round.
  package var isReversed: Bool
  /// 1 to 100.
  package var limit: Int
  /// The end of the previous page; `nil` for the first page.
  package var token: String?

  package init(
    _ query: String, isExact: Bool = false, channelURL: String? = nil,
    channelCustomType: String? = nil, filter: MessageFilter = MessageFilter(),
    order: SearchOrder = .time, isReversed: Bool = false, limit: Int = 20, token: String? = nil
  ) {
    self.query = query
    self.isExact = isExact
    self.channelURL = channelURL
    self.channelCustomType = channelCustomType
    self.filter = filter
    self.order = order
    self.isReversed = isReversed
    self.limit = limit
    self.token = token
  }

  /// - Throws: 400105 without a query, 400110 for one that is too long.
  package init(_ parameters: Fields) throws(ServiceError) {
    self.init(
      try parameters.searchQuery(), isExact: try parameters.boolean("exact_match") ?? false,
      channelURL: try parameters.optionalChannelURL(),
      channelCustomType: try parameters.text(
        "channel_custom_type", limit: parameters.limits.customTypeLength),
      filter: try MessageFilter(parameters),
      order: try parameters.choice("order", of: SearchOrder.self) ?? .time,
      isReversed: try parameters.boolean("reverse") ?? false,
      limit: try parameters.pageSize(Limits.defaultSearchPageSize),
      token: try parameters.pageToken())
  }

  /// Reads the query of the Platform API, which names some parameters differently.
  ///
  /// - Throws: 400105 without a query, 400110 for one that is too long.
  package init(query: Fields) throws(ServiceError) {
    let customType = try query.customType()
    var filter = MessageFilter(customTypes: customType.map { [$0] } ?? [])
    try filter.readTimes(query, "message_ts_from", "message_ts_to")
    let (after, token) = (try query.pageToken("after"), try query.pageToken())
    self.init(
      try query.searchQuery(), isExact: try query.boolean("exact_match") ?? false,
      channelURL: try query.optionalChannelURL(), filter: filter,
      order: try query.choice("sort_field", of: SortField.self) == .score ? .score : .time,
      isReversed: try query.boolean("reverse") ?? false,
      limit: try query.pageSize(Limits.defaultSearchPageSize),
      token: after ?? token)
  }

  private enum SortField: String, CaseIterable {
    case time = "ts"
    case score
  }
}

extension Fields {
  fileprivate func searchQuery() throws(ServiceError) -> String {
    try requiredText("query", limit: Limits.searchQueryLength)
  }
}
