import Channels

/// Counts groups in the order of their numbers, up to a limit at a time.
package struct StoredGroups: StoreQuery {
  package struct Outcome: Sendable, Hashable {
    package var count: Int
    /// The group after which the count continues; `nil` after the last one.
    package var next: Int64?
  }

  /// The last group that was counted.
  package var place: Int64
  package var limit: Int

  package init(after place: Int64 = 0, limit: Int = 10_000) {
    self.place = place
    self.limit = limit
  }

  package var statements: ReadStatements<Outcome> {
    .init { transaction in
      let found = try transaction.connection.first(
        """
        SELECT count(*), max(channel_id) FROM (
          SELECT channel_id FROM groups WHERE channel_id > ? ORDER BY channel_id LIMIT ?
        ) AS piece
        """, [place, limit]
      ) { (count: $0[0] as Int, last: $0[1] as Int64?) }
      guard let found else { return Outcome(count: 0, next: nil) }
      return Outcome(count: found.count, next: found.count < limit ? nil : found.last)
    }
  }
}
