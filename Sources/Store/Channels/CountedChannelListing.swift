import Basics
package import Channels
package import ParleyProtocol

/// Lists the open channels that match a query by the numbers of their participants, which the store does not know.
///
/// The channels with participants come first; those without follow, newest first. Error: `invalidPageToken`.
package struct CountedChannelListing<Encoder: PageEncoder<Channel>>: StoreQuery {
  package var query: ChannelQuery
  /// The channels with participants after the query's position; none when it is among those without.
  package var counted: FullestChannels.Selection
  package var encoder: Encoder

  package init(
    _ query: ChannelQuery, counted: FullestChannels.Selection, as encoder: Encoder
  ) {
    self.query = query
    self.counted = counted
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init { try $0.listChannels(query, counted: counted) { encoder.encode($0) } }
  }
}

/// The position where a page ended, in the order of participants.
package enum ParticipantPosition: Sendable, Hashable {
  case counted(CountedChannel)
  /// Among the channels without participants.
  case rest(createdAt: Int64, id: Int64)
}

extension ChannelQuery {
  /// The position from which to list; `nil` for the first page.
  package func participantPosition() throws(StoreError) -> ParticipantPosition? {
    guard let token, !token.isEmpty else { return nil }
    let cursor = PageCursor<ParticipantPosition>(of: fingerprint)
    guard let position = cursor.position(in: token) else { throw .invalidPageToken }
    return position
  }

  fileprivate func token(after position: ParticipantPosition) -> String {
    PageCursor(of: fingerprint).token(after: position)
  }
}

extension StoreTransaction {
  /// A page of the open channels that match a query: first those that are counted, then the others.
  ///
  /// - Throws: `StoreError.invalidPageToken` for a token of another query.
  func listChannels<Value>(
    _ query: ChannelQuery, counted: FullestChannels.Selection,
    _ item: (Channel) throws -> PageItem<Value>
  ) throws -> ListPage<Value> {
    let limit = query.pageLimit
    var page = ListPage<Value>(items: [], next: "")
    var room = PageRoom.answer
    var rest = ChannelPosition(values: [.max, .max])
    if case .rest(let createdAt, let id) = try query.participantPosition() {
      rest = ChannelPosition(values: [createdAt, id])
    } else {
      let listed = try matching(query, counted)
      var channels = ReadAhead<Int64, Channel>()
      for (place, candidate) in listed.enumerated() {
        guard page.items.count < limit else { return page }
        let channel = try channels.item(
          candidate.id,
          upcoming: listed[(place + 1)...].prefix(limit - page.items.count - 1).map(\.id),
          read: listedChannels)
        guard let channel else { throw StoreError.notFound(.channel) }
        let made = try item(channel)
        guard room.admit(byteCount: made.byteCount) else { return page }
        page.items.append(made.value)
        page.next = query.token(after: .counted(candidate.channel))
      }
      guard counted.isComplete else {
        if page.items.count < limit, let last = counted.channels.last {
          page.next = query.token(after: .counted(last))
        }
        return page
      }
    }
    var conditions = query.conditions(after: rest)
    if !counted.channels.isEmpty {
      conditions.filter.require("url \(.isNoneOf)", [StoreValue.texts(counted.channels.map(\.url))])
    }
    return try listChannels(query, under: conditions, after: page, in: room, item) { row in
      query.token(after: .rest(createdAt: row[2], id: row[3]))
    }
  }

  /// The counted channels that match, with their numbers.
  private func matching(
    _ query: ChannelQuery, _ counted: FullestChannels.Selection
  ) throws -> [(channel: CountedChannel, id: Int64)] {
    guard !counted.channels.isEmpty else { return [] }
    var named = query
    named.urls = counted.channels.map(\.url)
    if !query.urls.isEmpty { named.urls = named.urls.filter(Set(query.urls).contains) }
    // No names would stand for all channels.
    guard !named.urls.isEmpty else { return [] }
    let (range, filter) = named.conditions(after: ChannelPosition(values: [.max, .max]))
    let ids = try connection.all(
      "SELECT \(filter.flag), channel_id, url FROM channels WHERE \(range.sql)",
      filter.arguments + range.arguments
    ) { ($0[0] as Bool, $0[1] as Int64, $0[2] as String) }
    let known = Dictionary(uniqueKeysWithValues: ids.filter(\.0).map { ($0.2, $0.1) })
    return counted.channels.compactMap { channel in known[channel.url].map { (channel, $0) } }
  }
}

extension ParticipantPosition: PagePosition {
  package var positionBytes: [UInt8] {
    switch self {
    case .counted(let channel):
      [0] + Int64(channel.participants).bigEndianBytes + Array(channel.url.utf8)
    case .rest(let createdAt, let id): [1] + createdAt.bigEndianBytes + id.bigEndianBytes
    }
  }

  package init?(positionBytes bytes: [UInt8]) {
    guard let first = Int64(bigEndianBytes: bytes.dropFirst().prefix(8)) else { return nil }
    let end = bytes.dropFirst(9)
    switch bytes[0] {
    case 0:
      guard let participants = Int(exactly: first), let url = String(validating: end, as: UTF8.self)
      else { return nil }
      self = .counted(CountedChannel(url: url, participants: participants))
    case 1:
      guard let id = Int64(bigEndianBytes: end) else { return nil }
      self = .rest(createdAt: first, id: id)
    default: return nil
    }
  }
}
