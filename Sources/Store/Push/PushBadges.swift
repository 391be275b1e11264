import ParleyProtocol

/// Adds up the unread messages of users, as ``UnreadTotals`` does.
///
/// Outcome: the numbers by user; 0 for a user without groups.
package struct PushBadges: StoreQuery {
  package var userIDs: [String]

  package init(of userIDs: [String]) { self.userIDs = userIDs }

  package var statements: ReadStatements<[String: Int64]> {
    .init { transaction in
      let found = try transaction.unreadMessageCounts(of: userIDs)
      var badges = Dictionary(userIDs.map { ($0, 0 as Int64) }) { first, _ in first }
      badges.merge(found) { _, counted in counted }
      return badges
    }
  }
}
