package import FloodControl

/// Adds to what users have sent and created in a day, and removes some counts of days before.
///
/// Outcome: the totals of these users; users who do not exist are left out.
package struct UserDayRecord: StoreWrite {
  package var batch: DailyCounts.Batch

  package init(_ batch: DailyCounts.Batch) { self.batch = batch }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<[String: DailyCounts.Numbers]> {
    .init { transaction in
      let connection = transaction.connection
      var totals: [String: DailyCounts.Numbers] = [:]
      // In order, so that two servers do not wait for each other.
      for (userID, numbers) in batch.numbers.sorted(by: { $0.key < $1.key }) {
        totals[userID] = try connection.first(
          """
          INSERT INTO user_days (user_id, day, messages, channels)
          SELECT user_id, ?2, ?3, ?4 FROM users WHERE user_id = ?1
          ON CONFLICT (user_id, day) DO UPDATE SET
            messages = user_days.messages + excluded.messages,
            channels = user_days.channels + excluded.channels
          RETURNING messages, channels
          """, [userID, batch.day, numbers.messages, numbers.channels]
        ) { DailyCounts.Numbers(messages: $0[0], channels: $0[1]) }
      }
      try connection.execute(
        """
        DELETE FROM user_days WHERE (user_id, day) IN (
          SELECT user_id, day FROM user_days WHERE day < ? LIMIT 500)
        """, [batch.day - 1])
      return totals
    }
  }
}

/// Reads what a user has sent and created in a day.
package struct UserDay: StoreLookup {
  package var userID: String
  /// Days since 1970.
  package var day: Int64

  package init(of userID: String, on day: Int64) {
    self.userID = userID
    self.day = day
  }

  package var statements: ReadStatements<DailyCounts.Numbers> {
    .init { transaction in
      try transaction.connection.first(
        "SELECT messages, channels FROM user_days WHERE user_id = ? AND day = ?", [userID, day]
      ) { DailyCounts.Numbers(messages: $0[0], channels: $0[1]) } ?? DailyCounts.Numbers()
    }
  }
}

/// Counts the groups that a user has created and that exist, up to a number.
package struct CreatedGroupCount: StoreLookup {
  package var userID: String
  package var limit: Int

  package init(by userID: String, upTo limit: Int) {
    self.userID = userID
    self.limit = limit
  }

  package var statements: ReadStatements<Int> {
    .init { transaction in
      try transaction.connection.first(
        """
        SELECT count(*) FROM (SELECT 1 FROM groups WHERE creator_id = ? LIMIT ?) AS created
        """, [userID, limit]
      ) { $0[0] as Int } ?? 0
    }
  }
}
