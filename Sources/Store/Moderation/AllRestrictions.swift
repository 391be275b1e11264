import Basics
package import Channels
package import ParleyProtocol

/// A restriction of a user in a channel, as lists of all channels show it.
package struct PlacedRestriction: Sendable, Hashable {
  package var kind: RestrictionKind
  package var channelURL: String
  package var channelKind: ChannelKind
  package var user: User
  package var restriction: Restriction
}

/// Lists restrictions of all channels that are in effect at a time, newest first.
///
/// Error: `invalidPageToken`.
package struct AllRestrictionsListing<Encoder: PageEncoder<PlacedRestriction>>: StoreQuery {
  /// `nil` for bans and mutes.
  package var kind: RestrictionKind?
  /// Only restrictions of this user.
  package var userID: String?
  /// Only restrictions in this channel; a channel that does not exist has none.
  package var channelURL: String?
  /// Unix milliseconds.
  package var time: Int64
  /// 1 to 100.
  package var limit: Int
  /// The token of the page; `nil` or empty for the first page.
  package var token: String?
  package var encoder: Encoder

  package init(
    _ kind: RestrictionKind?, ofUser userID: String?, inChannel url: String?, at time: Int64,
    limit: Int, token: String?, as encoder: Encoder
  ) {
    self.kind = kind
    self.userID = userID
    channelURL = url
    self.time = time
    self.limit = limit
    self.token = token
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init { transaction in
      var channelID: Int64?
      if let channelURL {
        guard let id = try transaction.channelRow(channelURL)?.id else {
          return ListPage(items: [], next: "")
        }
        channelID = id
      }
      return try transaction.listRestrictions(
        kind.map { [$0] } ?? RestrictionKind.allCases, ofUser: userID, inChannel: channelID,
        at: time, limit: limit, token: token
      ) { encoder.encode($0) }
    }
  }
}

/// The position of a restriction in a list of all channels: later starts come first, then the larger
/// numbers of channels, then the larger ids of users.
///
/// A user may be banned and muted in a channel at the same time, in either order.
private struct RestrictionPlace: Hashable, PagePosition {
  var startsAt: Int64
  var channelID: Int64
  var userID: String
  /// The kinds that were listed at this place.
  var kinds: Set<RestrictionKind>

  /// The position before all restrictions.
  static let beginning = RestrictionPlace(startsAt: .max, channelID: .max, userID: "", kinds: [])

  init(startsAt: Int64, channelID: Int64, userID: String, kinds: Set<RestrictionKind>) {
    self.startsAt = startsAt
    self.channelID = channelID
    self.userID = userID
    self.kinds = kinds
  }

  /// From the columns 1 to 4 of a list: starts_at, channel_id, user_id and kind.
  init(row: StoreRow) {
    self.init(
      startsAt: row[1], channelID: row[2], userID: row[3],
      kinds: [row.integer(4) == 0 ? .ban : .mute])
  }

  /// This position, with the kind of the row before it if that is at the same place.
  func following(_ last: RestrictionPlace) -> RestrictionPlace {
    guard last.startsAt == startsAt, last.channelID == channelID, last.userID == userID
    else { return self }
    var place = self
    place.kinds.formUnion(last.kinds)
    return place
  }

  /// The kinds as bits in the first byte, then the numbers, then the user's id.
  var positionBytes: [UInt8] {
    let bits = kinds.reduce(UInt8(0)) { $0 | Self.bit($1) }
    return [bits] + startsAt.bigEndianBytes + channelID.bigEndianBytes + Array(userID.utf8)
  }

  init?(positionBytes bytes: [UInt8]) {
    guard bytes.count >= 17, let startsAt = Int64(bigEndianBytes: bytes[1..<9]),
      let channelID = Int64(bigEndianBytes: bytes[9..<17]),
      let userID = String(validating: bytes[17...], as: UTF8.self)
    else { return nil }
    let kinds = RestrictionKind.allCases.filter { bytes[0] & Self.bit($0) != 0 }
    self.init(startsAt: startsAt, channelID: channelID, userID: userID, kinds: Set(kinds))
  }

  private static func bit(_ kind: RestrictionKind) -> UInt8 {
    switch kind {
    case .ban: 1
    case .mute: 2
    }
  }
}

extension StoreTransaction {
  /// A page of the restrictions of all channels, newest first.
  ///
  /// Rows that have expired are passed over; a page is shorter when its bytes or its time run out first.
  ///
  /// - Parameters:
  ///   - kinds: Bans, mutes, or bans and mutes.
  ///   - limit: 1 to 100.
  /// - Throws: `StoreError.invalidPageToken` for a token of another list.
  func listRestrictions<Value>(
    _ kinds: [RestrictionKind], ofUser userID: String?, inChannel channelID: Int64?, at now: Int64,
    limit: Int, token: String? = nil, _ item: (PlacedRestriction) -> PageItem<Value>
  ) throws -> ListPage<Value> {
    let cursor = PageCursor<RestrictionPlace>(
      of: ["restrictions"] + kinds.map(\.rawValue)
        + [userID ?? "", channelID.map { "\($0)" } ?? ""])
    let start = (token ?? "").isEmpty ? .beginning : cursor.position(in: token ?? "")
    guard let start else { throw StoreError.invalidPageToken }
    let ranges = kinds.map { range(of: $0, ofUser: userID, inChannel: channelID, after: start) }
    let order = "ORDER BY 2 DESC, 3 DESC, 4 DESC"
    // Both databases merge parts that are in order; the few rows of a user or a channel are sorted.
    let partOrder = userID == nil && channelID == nil ? order : ""
    let parts = zip(kinds, ranges).map { kind, range -> StoreStatement in
      """
      SELECT * FROM (
        SELECT ends_at > ?, starts_at, channel_id, user_id, \(kind == .ban ? 0 : 1), ends_at,
          description
        FROM \(kind.table) \(.index(kind.index(ofUser: userID, inChannel: channelID)))
        WHERE \(range.sql) \(partOrder)
      ) AS \(kind.rawValue)
      """
    }
    var users: [String: User] = [:]
    var channels: [Int64: (url: String, kind: ChannelKind)] = [:]
    var last = start
    return try page(
      "\(parts.joined(separator: " UNION ALL ")) \(order)",
      ranges.flatMap { [now] + $0.arguments }, limit: min(max(limit, 1), 100)
    ) { row, upcoming in
      let place = RestrictionPlace(row: row)
      if users[place.userID] == nil {
        try users.merge(self.users(Set([place.userID] + upcoming.values(3)))) { $1 }
      }
      if channels[place.channelID] == nil {
        try channels.merge(places(of: Set([place.channelID] + upcoming.values(2)))) { $1 }
      }
      guard let channel = channels[place.channelID] else { throw StoreError.notFound(.channel) }
      return item(
        PlacedRestriction(
          kind: row.integer(4) == 0 ? .ban : .mute, channelURL: channel.url,
          channelKind: channel.kind,
          user: users[place.userID] ?? User(id: place.userID),
          restriction: Restriction(
            userID: place.userID, startsAt: place.startsAt, endsAt: row[5], description: row[6])))
    } token: { row in
      let place = RestrictionPlace(row: row).following(last)
      last = place
      return cursor.token(after: place)
    }
  }

  private func range(
    of kind: RestrictionKind, ofUser userID: String?, inChannel channelID: Int64?,
    after start: RestrictionPlace
  ) -> Condition {
    let comparison = start.kinds.contains(kind) ? "<" : "<="
    var range = Condition(
      StoreStatement("(starts_at, channel_id, user_id) \(comparison) (?, ?, ?)"),
      [start.startsAt, start.channelID, start.userID])
    if let userID { range.require("user_id = ?", [userID]) }
    if let channelID { range.require("channel_id = ?", [channelID]) }
    return range
  }

  private func places(
    of channelIDs: Set<Int64>
  ) throws -> [Int64: (url: String, kind: ChannelKind)] {
    let found = try connection.all(
      "SELECT channel_id, url, is_group FROM channels WHERE channel_id \(.isAnyOf)",
      [StoreValue.integers(Array(channelIDs))]
    ) { row in
      (id: row[0] as Int64, url: row[1] as String, kind: row[2] ? ChannelKind.group : .open)
    }
    return Dictionary(found.map { ($0.id, ($0.url, $0.kind)) }) { first, _ in first }
  }
}

extension RestrictionKind {
  /// The index for a list with these filters; the few rows of a user, or those of a channel, are sorted.
  fileprivate func index(ofUser userID: String?, inChannel channelID: Int64?) -> String {
    if userID != nil { return "\(table)_by_user" }
    return channelID != nil ? "\(table)_by_end" : "\(table)_by_start"
  }
}
