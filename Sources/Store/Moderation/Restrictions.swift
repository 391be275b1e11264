import Basics
package import Channels
package import ParleyProtocol

/// A restriction and the restricted user.
package struct RestrictedUser: Sendable, Hashable {
  package var user: User
  package var restriction: Restriction
}

extension RestrictionKind {
  var table: String {
    switch self {
    case .ban: "bans"
    case .mute: "mutes"
    }
  }
}

extension StoreTransaction {
  /// All restrictions of a kind in a channel, by user; some may have expired.
  func restrictions(
    _ kind: RestrictionKind, channelID: Int64
  ) throws -> [String: Restriction] {
    let found = try connection.all(
      """
      SELECT user_id, starts_at, ends_at, description FROM \(kind.table) WHERE channel_id = ?
      """, [channelID], Restriction.init(row:))
    return Dictionary(found.map { ($0.userID, $0) }) { first, _ in first }
  }

  /// The restriction of one user, if it is in effect at a time.
  func restriction(
    _ kind: RestrictionKind, channelID: Int64, userID: String, at now: Int64
  ) throws -> Restriction? {
    try connection.first(
      """
      SELECT user_id, starts_at, ends_at, description FROM \(kind.table)
      WHERE channel_id = ? AND user_id = ? AND ends_at > ?
      """, [channelID, userID, now], Restriction.init(row:))
  }

  /// A page of the restrictions in effect at a time, in the order of the user ids.
  ///
  /// The page is shorter when its bytes or its time run out first.
  ///
  /// - Parameter limit: 1 to 100.
  /// - Throws: `StoreError.invalidPageToken` for a token of another list.
  func listRestrictions<Value>(
    _ kind: RestrictionKind, channelID: Int64, at now: Int64, limit: Int = 10,
    token: String? = nil, _ item: (RestrictedUser) throws -> PageItem<Value>
  ) throws -> ListPage<Value> {
    let cursor = PageCursor<String>(of: [kind.rawValue, "\(channelID)"])
    let position = (token ?? "").isEmpty ? "" : cursor.position(in: token ?? "")
    guard let position else { throw StoreError.invalidPageToken }
    var restricted = ReadAhead<String, RestrictedUser>()
    return try page(
      """
      SELECT ends_at > ?, user_id FROM \(kind.table)
      WHERE channel_id = ? AND user_id > ? ORDER BY user_id
      """, [now, channelID, position],
      limit: min(max(limit, 1), 100)
    ) { row, upcoming in
      let id: String = row[1]
      let found = try restricted.item(id, upcoming: upcoming.values(1)) { ids in
        try restrictedUsers(ids, by: kind, channelID: channelID)
      }
      guard let found else { throw StoreError.noUser(id) }
      return try item(found)
    } token: { row in
      cursor.token(after: row[1])
    }
  }

  private func restrictedUsers(
    _ ids: [String], by kind: RestrictionKind, channelID: Int64
  ) throws -> [String: RestrictedUser] {
    let (condition, value): (StoreStatement, any StoreArgument) =
      ids.count == 1 ? ("= ?", ids[0]) : (.isAnyOf, StoreValue.texts(ids))
    let found = try connection.all(
      """
      SELECT user_id, starts_at, ends_at, description FROM \(kind.table)
      WHERE channel_id = ? AND user_id \(condition)
      """, [channelID, value], Restriction.init(row:))
    let users = try users(ids)
    return Dictionary(
      found.map { restriction in
        let id = restriction.userID
        return (id, RestrictedUser(user: users[id] ?? User(id: id), restriction: restriction))
      }
    ) { first, _ in first }
  }
}

extension Restriction {
  /// From the columns user_id, starts_at, ends_at, description, in this order.
  init(row: StoreRow) {
    self.init(userID: row[0], startsAt: row[1], endsAt: row[2], description: row[3])
  }
}

extension WriteTransaction {
  /// Imposes a restriction on a user.
  func impose(
    _ kind: RestrictionKind, _ restriction: Restriction, channelID: Int64
  ) throws -> (user: User, event: LoggedEvent) {
    guard let user = try user(restriction.userID) else {
      throw StoreError.noUser(restriction.userID)
    }
    try removeEnded(kind, channelID: channelID, at: restriction.startsAt)
    try connection.execute(
      """
      INSERT INTO \(kind.table) (channel_id, user_id, starts_at, ends_at, description)
      VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (channel_id, user_id) DO UPDATE SET starts_at = excluded.starts_at,
        ends_at = excluded.ends_at, description = excluded.description
      """,
      [
        channelID, user.id, restriction.startsAt, restriction.endsAt, restriction.description,
      ])
    let event = Event.imposed(kind, restriction, on: user)
    return (user, try record(event, channelID: channelID, at: restriction.startsAt))
  }

  /// Lifts a restriction from a user; there is no event when none was in effect.
  func lift(
    _ kind: RestrictionKind, channelID: Int64, userID: String, at timestamp: Int64
  ) throws -> (user: User, event: LoggedEvent?) {
    guard let user = try user(userID) else { throw StoreError.noUser(userID) }
    try removeEnded(kind, channelID: channelID, at: timestamp)
    let count = try connection.change(
      "DELETE FROM \(kind.table) WHERE channel_id = ? AND user_id = ?", [channelID, userID])
    guard count > 0 else { return (user, nil) }
    return (user, try record(.lifted(kind, from: user), channelID: channelID, at: timestamp))
  }

  /// Removes expired restrictions; they ended without an event.
  private func removeEnded(_ kind: RestrictionKind, channelID: Int64, at now: Int64) throws {
    try connection.execute(
      """
      DELETE FROM \(kind.table) \(.index("\(kind.table)_by_end"))
      WHERE channel_id = ? AND ends_at <= ?
      """, [channelID, now])
  }
}

/// Reads the restriction of one user in a channel, if one is in effect at a time.
///
/// Error: `notFound(.channel)`.
package struct RestrictionLookup: StoreLookup {
  package var kind: RestrictionKind
  package var userID: String
  package var channelURL: String
  /// Unix milliseconds.
  package var time: Int64

  package init(_ kind: RestrictionKind, of userID: String, inChannel url: String, at time: Int64) {
    self.kind = kind
    self.userID = userID
    channelURL = url
    self.time = time
  }

  package var statements: ReadStatements<Restriction?> {
    .init {
      try $0.restriction(
        kind, channelID: $0.channelNumber(channelURL), userID: userID, at: time)
    }
  }
}

/// Lists the restrictions of a channel that are in effect at a time, in the order of the user ids.
///
/// Error: `invalidPageToken`.
package struct RestrictionListing<Encoder: PageEncoder<RestrictedUser>>: StoreQuery {
  package var kind: RestrictionKind
  /// The store's own number of the channel.
  package var channelID: Int64
  /// Unix milliseconds.
  package var time: Int64
  /// 1 to 100.
  package var limit: Int
  /// The token of the page; `nil` or empty for the first page.
  package var token: String?
  package var encoder: Encoder

  package init(
    _ kind: RestrictionKind, channelID: Int64, at time: Int64, limit: Int, token: String?,
    as encoder: Encoder
  ) {
    self.kind = kind
    self.channelID = channelID
    self.time = time
    self.limit = limit
    self.token = token
    self.encoder = encoder
  }

  package var statements: ReadStatements<ListPage<Encoder.Encoded>> {
    .init {
      try $0.listRestrictions(
        kind, channelID: channelID, at: time, limit: limit, token: token
      ) { encoder.encode($0) }
    }
  }
}
