package import ParleyProtocol

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

/// Reads what a user has not read in its groups, of which there are at most ``Limits/joinedGroupCount``.
///
/// Groups in which all numbers are 0 are left out.
package struct UnreadNumbers: StoreQuery {
  package var userID: String
  /// The groups to read.
  package var selection: GroupSelection

  package init(of userID: String, in selection: GroupSelection) {
    self.userID = userID
    self.selection = selection
  }

  package var statements: ReadStatements<[CountedGroup]> {
    .init { try $0.unreadNumbers(of: userID, in: selection) }
  }
}

/// Some groups of a user, or all.
package enum GroupSelection: Sendable, Hashable {
  case all
  case urls([String])
}

/// The numbers of a user in a group.
package struct CountedGroup: Sendable, Hashable {
  package var url: String
  package var customType: String
  package var numbers: GroupNumbers

  package init(url: String, customType: String, numbers: GroupNumbers) {
    self.url = url
    self.customType = customType
    self.numbers = numbers
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
    var filter = Condition()
    filter.require("channels.custom_type", isAnyOf: totals.customTypes)
    if let isSuper = totals.isSuper { filter.require("groups.is_super = ?", [isSuper]) }
    let rows = Self.numbers(of: userID, in: Self.allGroups, filter)
    let found = try connection.first(
      """
      SELECT CAST(coalesce(sum(unread), 0) AS bigint), CAST(coalesce(sum(mentions), 0) AS bigint),
        count(CASE WHEN unread > 0 THEN 1 END), count(CASE WHEN invited > 0 THEN 1 END)
      FROM (\(rows.sql)) AS numbers
      """, rows.arguments
    ) {
      GroupNumbers(
        unreadMessageCount: $0[0], unreadMentionCount: $0[1], unreadChannelCount: $0[2],
        invitationCount: $0[3])
    }
    return found ?? .zero
  }

  /// The unread messages of users who have any, over all groups that each has joined and not hidden.
  func unreadMessageCounts(of userIDs: [String]) throws -> [String: Int64] {
    let rows = Self.numbers(
      in: Self.allGroups,
      Condition(
        "members.user_id \(.isAnyOf) AND members.state = \(MemberState.joined.stored)",
        [StoreValue.texts(userIDs)]))
    let found = try connection.all(
      """
      SELECT user_id, CAST(sum(unread) AS bigint) FROM (\(rows.sql)) AS numbers
      WHERE unread > 0 GROUP BY user_id
      """, rows.arguments
    ) { ($0[0] as String, $0[1] as Int64) }
    return Dictionary(found) { first, _ in first }
  }

  func unreadNumbers(
    of userID: String, in selection: GroupSelection
  ) throws -> [CountedGroup] {
    var filter = Condition()
    var groups = Self.allGroups
    if case .urls(let urls) = selection {
      filter.require("channels.url", isAnyOf: urls)
      groups = "channels CROSS JOIN members CROSS JOIN groups"
    }
    let rows = Self.numbers(of: userID, in: groups, filter)
    return try connection.all(
      """
      SELECT url, custom_type, unread, mentions, invited FROM (\(rows.sql)) AS numbers
      WHERE unread > 0 OR mentions > 0 OR invited > 0 LIMIT ?
      """, rows.arguments + [2 * Limits.joinedGroupCount]
    ) { row in
      let unread: Int64 = row[2]
      return CountedGroup(
        url: row[0], customType: row[1],
        numbers: GroupNumbers(
          unreadMessageCount: unread, unreadMentionCount: row[3],
          unreadChannelCount: unread > 0 ? 1 : 0, invitationCount: row[4]))
    }
  }

  private static var allGroups: StoreStatement {
    "members \(.index("members_by_user")) CROSS JOIN channels CROSS JOIN groups"
  }

  /// The numbers of a user, in a row for each group.
  ///
  /// - Parameter groups: The tables, in the order in which they are searched.
  private static func numbers(
    of userID: String, in groups: StoreStatement, _ filter: Condition
  ) -> (sql: StoreStatement, arguments: StoreArguments) {
    var filter = filter
    filter.require("members.user_id = ?", [userID])
    return numbers(in: groups, filter)
  }

  /// The numbers of users, in a row for each membership.
  private static func numbers(
    in groups: StoreStatement, _ filter: Condition
  ) -> (sql: StoreStatement, arguments: StoreArguments) {
    var filter = filter
    filter.require("channels.channel_id = members.channel_id")
    filter.require("groups.channel_id = members.channel_id")
    filter.require("NOT \(.isUnwantedInvitation)")
    let isShown: StoreStatement = """
      members.state = \(MemberState.joined.stored) AND channels.is_ephemeral = 0
        AND \(.isUnhidden) AND members.count_preference
      """
    return (
      """
      SELECT members.user_id AS user_id, channels.url AS url, channels.custom_type AS custom_type,
        CASE WHEN \(isShown) IN (0, 1) THEN \(.unreadCount) ELSE 0 END AS unread,
        CASE WHEN \(isShown) IN (0, 2) THEN \(.unreadMentionCount) ELSE 0 END AS mentions,
        CASE WHEN members.state = \(MemberState.invited.stored) THEN 1 ELSE 0 END AS invited
      FROM \(groups) WHERE \(filter.sql)
      """, filter.arguments
    )
  }
}
