import Channels

/// Finds groups that have had no members since a time and that no legal hold keeps, by URL, the longest empty
/// first.
package struct EmptyGroups: StoreLookup {
  /// Unix milliseconds.
  package var horizon: Int64
  /// The maximum number of groups.
  package var limit: Int

  package init(since horizon: Int64, limit: Int = 100) {
    self.horizon = horizon
    self.limit = limit
  }

  package var statements: ReadStatements<[String]> {
    .init { transaction in
      try transaction.connection.all(
        """
        SELECT channels.url FROM groups \(.index("groups_by_emptiness"))
        CROSS JOIN channels
        WHERE groups.empty_since <= ? AND channels.channel_id = groups.channel_id
          AND channels.is_held = 0
        ORDER BY groups.empty_since, groups.channel_id LIMIT ?
        """, [horizon, limit]
      ) { $0[0] as String }
    }
  }
}
