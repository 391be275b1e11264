/// Finds some groups of a user, joined or invited, that no legal hold keeps, by URL.
package struct GroupsOfUser: StoreLookup {
  /// The groups to find.
  package enum Kind: Sendable {
    case all
    /// Groups of exactly two members.
    case pairs
  }

  package var userID: String
  package var kind: Kind
  package var limit: Int

  package init(_ userID: String, _ kind: Kind, limit: Int = 20) {
    self.userID = userID
    self.kind = kind
    self.limit = limit
  }

  package var statements: ReadStatements<[String]> {
    .init { transaction in
      let size: StoreStatement = kind == .pairs ? "AND g.member_count = 2" : ""
      return try transaction.connection.all(
        """
        SELECT c.url FROM members AS m \(.index("members_by_user"))
          CROSS JOIN groups AS g CROSS JOIN channels AS c
        WHERE m.user_id = ? AND g.channel_id = m.channel_id AND c.channel_id = m.channel_id
          AND c.is_held = 0 \(size)
        LIMIT ?
        """, [userID, limit]
      ) { $0[0] as String }
    }
  }
}
