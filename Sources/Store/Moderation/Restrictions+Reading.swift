import GRDB
import ParleyProtocol

extension StoreTransaction {
  /// All restrictions of a kind in a channel, by user; some may have ended.
  package func restrictions(
    _ kind: RestrictionKind, channelID: Int64
  ) throws -> [String: Restriction] {
    let found = try connection.all(
      """
      SELECT user_id, starts_at, ends_at, description FROM \(kind.table) WHERE channel_id = ?
      """, [channelID], Restriction.init(row:))
    return Dictionary(found.map { ($0.userID, $0) }) { first, _ in first }
  }

  /// The restriction of one user, if it holds at a time.
  package func restriction(
    _ kind: RestrictionKind, channelID: Int64, userID: String, at now: Int64
  ) throws -> Restriction? {
    try connection.first(
      """
      SELECT user_id, starts_at, ends_at, description FROM \(kind.table)
      WHERE channel_id = ? AND user_id = ? AND ends_at > ?
      """, [channelID, userID, now], Restriction.init(row:))
  }

  /// A page of the restrictions that hold at a time, in the order of the user ids.
  ///
  /// - Parameter limit: 1 to 100.
  /// - Throws: `StoreError.invalidPageToken` for a token that is not one of this list.
  package func listRestrictions(
    _ kind: RestrictionKind, channelID: Int64, at now: Int64, limit: Int = 10,
    token: String? = nil
  ) throws -> RestrictionPage {
    let limit = min(max(limit, 1), 100)
    let query = [kind.rawValue, "\(channelID)"]
    let position = try (token ?? "").isEmpty ? [] : PageToken.decode(token ?? "", query: query)
    let found = try connection.all(
      """
      SELECT user_id, starts_at, ends_at, description FROM \(kind.table)
      WHERE channel_id = ? AND user_id > ? AND ends_at > ? ORDER BY user_id LIMIT ?
      """, [channelID, String(decoding: position, as: UTF8.self), now, limit + 1],
      Restriction.init(row:))
    let page = try withProfiles(found.prefix(limit))
    guard found.count > limit, let last = page.last else {
      return RestrictionPage(restrictions: page, next: "")
    }
    let next = PageToken.encode(Array(last.user.id.utf8), query: query)
    return RestrictionPage(restrictions: page, next: next)
  }

  private func withProfiles(_ restrictions: ArraySlice<Restriction>) throws -> [RestrictedUser] {
    let profiles = try users(restrictions.map(\.userID))
    return restrictions.map { restriction in
      let user = profiles[restriction.userID] ?? User(id: restriction.userID)
      return RestrictedUser(user: user, restriction: restriction)
    }
  }
}

extension Restriction {
  /// From the columns user_id, starts_at, ends_at, description, in this order.
  init(row: Row) {
    self.init(userID: row[0], startsAt: row[1], endsAt: row[2], description: row[3])
  }
}
