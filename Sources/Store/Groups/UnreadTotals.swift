import Channels
package import ParleyProtocol

/// The numbers of a user over its groups.
package struct GroupNumbers: Sendable, Hashable {
  /// Messages that the user has not read, in groups whose messages it counts.
  package var unreadMessageCount: Int64
  /// Those of them that mention the user, in groups whose mentions it counts.
  package var unreadMentionCount: Int64
  /// Groups with unread messages.
  package var unreadChannelCount: Int64
  /// Open invitations.
  package var invitationCount: Int64
}

/// Adds up what a user has not read, over all groups that it has joined and not hidden.
///
/// One query over the user's memberships, of which there are at most ``Limits/joinedGroupCount``.
package struct UnreadTotals: StoreQuery {
  package var userID: String
  package var totals: GroupTotals

  package init(of userID: String, _ totals: GroupTotals) {
    self.userID = userID
    self.totals = totals
  }

  package var statements: ReadStatements<GroupNumbers> {
    .init { try $0.unreadTotals(of: userID, totals) }
  }
}

/// Finds the groups with messages that a user has not read, by URL.
package struct UnreadGroups: StoreQuery {
  package var userID: String

  package init(of userID: String) { self.userID = userID }

  package var statements: ReadStatements<[String]> {
    .init { transaction in
      try transaction.connection.all(
        """
        SELECT channels.url
        FROM members \(.index("members_by_user")) CROSS JOIN channels CROSS JOIN groups
        WHERE members.user_id = ? AND members.state = \(MemberState.joined.stored)
          AND channels.channel_id = members.channel_id AND groups.channel_id = members.channel_id
          AND \(.unreadCount) > 0
        LIMIT ?
        """, [userID, Limits.joinedGroupCount]
      ) { $0[0] as String }
    }
  }
}

extension StoreTransaction {
  func unreadTotals(of userID: String, _ totals: GroupTotals) throws -> GroupNumbers {
    var filter = Condition("members.user_id = ?", [userID])
    filter.require("channels.channel_id = members.channel_id")
    filter.require("groups.channel_id = members.channel_id")
    filter.require("NOT \(.isUnwantedInvitation)")
    filter.require("channels.custom_type", isAnyOf: totals.customTypes)
    if let isSuper = totals.isSuper { filter.require("groups.is_super = ?", [isSuper]) }
    let isShown: StoreStatement = """
      members.state = \(MemberState.joined.stored) AND channels.is_ephemeral = 0 AND \(.isUnhidden)
        AND members.count_preference
      """
    let found = try connection.first(
      """
      SELECT CAST(coalesce(sum(unread), 0) AS bigint), CAST(coalesce(sum(mentions), 0) AS bigint),
        count(CASE WHEN unread > 0 THEN 1 END), count(invited)
      FROM (
        SELECT CASE WHEN \(isShown) IN (0, 1) THEN \(.unreadCount) ELSE 0 END AS unread,
          CASE WHEN \(isShown) IN (0, 2) THEN \(.unreadMentionCount) ELSE 0 END AS mentions,
          CASE WHEN members.state = \(MemberState.invited.stored) THEN 1 END AS invited
        FROM members \(.index("members_by_user")) CROSS JOIN channels CROSS JOIN groups
        WHERE \(filter.sql)) AS numbers
      """, filter.arguments
    ) {
      GroupNumbers(
        unreadMessageCount: $0[0], unreadMentionCount: $0[1], unreadChannelCount: $0[2],
        invitationCount: $0[3])
    }
    return found
      ?? GroupNumbers(
        unreadMessageCount: 0, unreadMentionCount: 0, unreadChannelCount: 0, invitationCount: 0)
  }
}
