import Channels
import ParleyProtocol

/// The groups that a user has joined.
package struct JoinedGroupList: Sendable, Hashable {
  /// Their URLs, in the order of their creation.
  package var urls: [String]
  /// Begins a list of what has changed since; see ``GroupChanges``.
  package var changeToken: String
}

/// Finds the groups that a user has joined; none for a user that does not exist.
package struct JoinedGroups: StoreLookup {
  package var userID: String
  /// The maximum number of groups.
  package var limit: Int

  package init(of userID: String, limit: Int = Limits.joinedGroupCount) {
    self.userID = userID
    self.limit = limit
  }

  package var statements: ReadStatements<JoinedGroupList> {
    .init { transaction in
      let token = try transaction.changeToken(ofUser: userID)
      let urls = try transaction.connection.all(
        """
        SELECT c.url FROM members AS m \(.index("members_by_user"))
        CROSS JOIN channels AS c
        WHERE m.user_id = ? AND m.state = ? AND c.channel_id = m.channel_id
        ORDER BY m.channel_id LIMIT ?
        """, [userID, MemberState.joined.stored, limit]
      ) { $0[0] as String }
      return JoinedGroupList(urls: urls, changeToken: token)
    }
  }
}
