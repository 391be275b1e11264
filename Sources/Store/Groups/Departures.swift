import ParleyProtocol

/// The groups that users are no longer in, for their lists of changes.
extension WriteTransaction {
  /// Notes users who were members of a group.
  func noteDepartures(of userIDs: [String], from url: String) throws {
    try noteDepartures(
      of: "users WHERE user_id \(.isAnyOf)", StoreValue.texts(userIDs), from: url)
  }

  /// - Parameters:
  ///   - rows: A table with the users, and a condition with one parameter.
  ///   - value: The parameter.
  private func noteDepartures(
    of rows: StoreStatement, _ value: any StoreArgument, from url: String
  ) throws {
    try connection.execute(
      """
      INSERT INTO departures (user_id, url, changed_at)
      SELECT user_id, ?, \(.nextChange) FROM \(rows)
      ON CONFLICT (user_id, url) DO UPDATE SET changed_at = excluded.changed_at
      """, [url, value])
  }
}

/// Forgets departures that are too old to be listed, the oldest first.
///
/// Outcome: their number.
package struct DepartureExpiry: StoreWrite {
  /// Unix milliseconds.
  package var now: Int64
  /// The maximum number of departures.
  package var limit: Int

  package init(at now: Int64, limit: Int = 1_000) {
    self.now = now
    self.limit = limit
  }

  package var urgency: WriteUrgency { .aside }

  package var statements: WriteStatements<Int> {
    .init { transaction in
      let index: StoreStatement = .index("departures_by_age")
      let old = try transaction.connection.all(
        """
        SELECT user_id, url, changed_at FROM departures \(index)
        WHERE changed_at < ? ORDER BY changed_at LIMIT ?
        """, [ChangeList.oldest(at: now) * 1_000, limit]
      ) { (userID: $0[0] as String, url: $0[1] as String, changedAt: $0[2] as Int64) }
      for row in old {
        // The user may have left the group again meanwhile.
        try transaction.connection.execute(
          "DELETE FROM departures WHERE user_id = ? AND url = ? AND changed_at = ?",
          [row.userID, row.url, row.changedAt])
      }
      return old.count
    }
  }
}
