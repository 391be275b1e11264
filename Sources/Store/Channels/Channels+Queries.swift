package import Channels
import Basics
package import ParleyProtocol

/// A query for open channels.
package struct ChannelQuery: Sendable, Hashable {
  /// Part of the name, ignoring case (in Unicode's sense, independent of language).
  package var nameContains: String?
  /// Part of the URL, case-sensitive.
  package var urlContains: String?
  /// Any of these; empty for all.
  package var customTypes: [String]
  /// Any of these; empty for all.
  package var urls: [String]
  package var freezing: ChannelList.Freezing
  package var order: ChannelList.Order
  /// 1 to 100.
  package var limit: Int
  /// The token of the page; `nil` or empty for the first page.
  package var token: String?

  package init(
    nameContains: String? = nil, urlContains: String? = nil, customTypes: [String] = [],
    urls: [String] = [], freezing: ChannelList.Freezing = .any,
    order: ChannelList.Order = .created, limit: Int = 10, token: String? = nil
  ) {
    self.nameContains = nameContains
    self.urlContains = urlContains
    self.customTypes = customTypes
    self.urls = urls
    self.freezing = freezing
    self.order = order
    self.limit = limit
    self.token = token
  }
}

/// Lists the open channels that match a query, in its order.
///
/// Error: `invalidPageToken`.
package struct ChannelListing<Encoder: PageEncoder<Channel>>: StoreQuery {
  package var query: ChannelQuery
  package var encoder: Encoder

  package init(_ query: ChannelQuery, as encoder: Encoder) {
    self.query = query
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init { try $0.listChannels(query) { encoder.encode($0) } }
  }
}

extension StoreTransaction {
  /// A page of the open channels that match a query, in its order.
  ///
  /// The page is shorter when its bytes or its time run out first.
  ///
  /// - Throws: `StoreError.invalidPageToken` for a token of another query.
  func listChannels<Value>(
    _ query: ChannelQuery, _ item: (Channel) throws -> PageItem<Value>
  ) throws -> ListPage<Value> {
    try listChannels(query, under: query.conditions(), item) { query.token(after: $0) }
  }

  /// A page of the open channels under the conditions of a query, in its order.
  ///
  /// - Parameters:
  ///   - beginning: The beginning of the page.
  ///   - room: The room for further items.
  ///   - token: The token that continues after a row, which has the columns of the key from the third on.
  func listChannels<Value>(
    _ query: ChannelQuery, under conditions: (range: Condition, filter: Condition),
    after beginning: ListPage<Value> = ListPage(items: [], next: ""), in room: PageRoom = .answer,
    _ item: (Channel) throws -> PageItem<Value>, token: (StoreRow) throws -> String
  ) throws -> ListPage<Value> {
    let (range, filter) = conditions
    var channels = ReadAhead<Int64, Channel>()
    return try page(
      """
      SELECT \(filter.flag), channel_id, \(query.key) FROM channels \(query.index)
      WHERE \(range.sql) ORDER BY \(query.sorting)
      """, filter.arguments + range.arguments, limit: query.pageLimit, after: beginning, in: room,
      item: { row, upcoming in
        let channel = try channels.item(row[1], upcoming: upcoming.values(1), read: listedChannels)
        guard let channel else { throw StoreError.notFound(.channel) }
        return try item(channel)
      }, token: token)
  }

  func listedChannels(_ ids: [Int64]) throws -> [Int64: Channel] {
    try channelStates(ids).mapValues(\.channel)
  }

  /// The channels with their operators, by number, without what only groups have.
  func channelStates(_ ids: [Int64]) throws -> [Int64: ChannelState] {
    let (condition, value): (StoreStatement, any StoreArgument) =
      ids.count == 1 ? ("= ?", ids[0]) : (.isAnyOf, StoreValue.integers(ids))
    let states = try connection.all(
      "SELECT \(ChannelState.columns) FROM channels WHERE channel_id \(condition)", [value]
    ) { try ChannelState(row: $0, connection.fileURL) }
    var channels = Dictionary(states.map { ($0.id, $0) }) { first, _ in first }
    let operators = try connection.all(
      """
      SELECT \(User.columns), channel_id
      FROM channel_operators JOIN users USING (user_id)
      WHERE channel_id \(condition) ORDER BY channel_id, position
      """, [value]
    ) { (try User(row: $0, connection.fileURL), $0[4] as Int64) }
    for (user, id) in operators { channels[id]?.channel.operators.append(user) }
    return channels
  }
}

extension StoreTransaction {
  /// The complete state of the channel with this URL, if it exists.
  func channel(_ url: String) throws -> ChannelState? {
    guard var state = try channelRow(url) else { return nil }
    state.channel.operators = try operators(channelID: state.id)
    if state.channel.group != nil {
      try readGroup(of: &state)
      try readMembers(of: &state)
    }
    state.bans = try restrictions(.ban, channelID: state.id)
    state.mutes = try restrictions(.mute, channelID: state.id)
    return state
  }

  /// The operators in the order in which they became operators.
  func operators(channelID: Int64) throws -> [User] {
    try connection.all(
      """
      SELECT \(User.columns)
      FROM channel_operators JOIN users USING (user_id)
      WHERE channel_id = ? ORDER BY position
      """, [channelID]
    ) { try User(row: $0, connection.fileURL) }
  }

  /// The channel without operators, members, bans and mutes, and without the properties of a group.
  func channelRow(_ url: String) throws -> ChannelState? {
    try connection.first(
      "SELECT \(ChannelState.columns) FROM channels WHERE url = ?", [url]
    ) { try ChannelState(row: $0, connection.fileURL) }
  }

  /// The channel to change, with its operators, and with the profile of a group's creator.
  func existingChannel(_ url: String) throws -> ChannelState {
    guard var state = try channelRow(url) else { throw StoreError.notFound(.channel) }
    state.channel.operators = try operators(channelID: state.id)
    if state.channel.group != nil {
      try readGroup(of: &state)
      if let creator = state.channel.group?.createdBy {
        state.channel.group?.createdBy = try user(creator.id)
      }
    }
    return state
  }

  func channelURL(_ channelID: Int64) throws -> String? {
    try connection.first("SELECT url FROM channels WHERE channel_id = ?", [channelID]) {
      $0[0] as String
    }
  }
}

/// Reads a channel with its operators and its own limits, without its bans and mutes.
///
/// Error: `notFound(.channel)`.
package struct ChannelLookup: StoreLookup {
  package var url: String

  package init(_ url: String) { self.url = url }

  package var statements: ReadStatements<ChannelState> { .init { try $0.existingChannel(url) } }
}

extension ChannelState {
  static let columns: StoreStatement = """
    channel_id, url, name, \(PictureAddress.ofChannel), data, custom_type, is_ephemeral, is_frozen, created_at,
    epoch, last_seq, last_created_at,
    flood_messages, flood_window_ms, throttle_messages, throttle_window_ms, metadata, term,
    is_group, last_ordinal, survival_seconds, is_held
    """

  /// From `columns`; operators, members, bans, mutes and the properties of a group stay empty.
  init(row: StoreRow, _ fileURL: StoreOptions.FileURL) throws {
    let metadata: String? = row[16]
    self.init(
      id: row[0],
      channel: Channel(
        url: row[1], name: row[2], coverURL: PictureAddress.shown(row[3], fileURL), data: row[4],
        customType: row[5],
        isEphemeral: row[6], isFrozen: row[7],
        metadata: try metadata.map { try StoredJSON.decode([String: String].self, from: $0) }
          ?? [:],
        survivalSeconds: row[20], createdAt: row[8], group: row[18] as Bool ? Group() : nil),
      epoch: row[9], term: row[17], lastSeq: row[10], lastCreatedAt: row[11], bans: [:], mutes: [:],
      floodOverride: LimitOverride(messages: row[12], windowMilliseconds: row[13]),
      throttleOverride: LimitOverride(messages: row[14], windowMilliseconds: row[15]))
    lastOrdinal = row[19]
    isHeld = row[21]
  }
}
