import Channels
package import ParleyProtocol

/// Lists the groups of a user that have changed, and those that the user is no longer in.
///
/// A group is listed in its present state, at its last change. What changes while a client reads page
/// after page, or in transactions that are not visible yet, is listed again from the token of the last page.
///
/// Error: `invalidPageToken`, also for a token that is too old.
package struct GroupChanges<Encoder: PageEncoder<ListedGroup>>: StoreQuery {
  package var userID: String
  package var list: ChangeList
  /// Unix milliseconds.
  package var now: Int64
  package var encoder: Encoder

  package init(
    ofUser userID: String, _ list: ChangeList, at now: Int64, as encoder: Encoder
  ) {
    self.userID = userID
    self.list = list
    self.now = now
    self.encoder = encoder
  }

  package var statements: ReadStatements<GroupChangePage<Encoder.Encoded>> {
    .init { try $0.groupChanges(ofUser: userID, list, at: now) { encoder.encode($0) } }
  }
}

/// A part of a list of changes.
package struct GroupChangePage<Group: Sendable>: Sendable {
  /// The groups that have changed, in the order of their changes.
  package var updated: [Group] = []
  /// The URLs of groups that the user is no longer in.
  package var departed: [String] = []
  /// Whether more has changed.
  package var hasMore = false
  /// Continues the list, now or later.
  package var token = ""
}

private enum GroupChange<Group> {
  case updated(Group)
  case departed(url: String)
}

extension StoreTransaction {
  /// A token for the changes that the transaction does not show.
  func changeToken(ofUser userID: String) throws -> String {
    ChangePosition(after: try connection.session.settledChange()).token(
      of: Self.groupChangeList(ofUser: userID))
  }

  func groupChanges<Value>(
    ofUser userID: String, _ list: ChangeList, at now: Int64,
    _ item: (ListedGroup) throws -> PageItem<Value>
  ) throws -> GroupChangePage<Value> {
    let end = ChangePosition(after: try connection.session.settledChange())
    let name = Self.groupChangeList(ofUser: userID)
    let position = try ChangePosition(list.start, of: name)
    try requireKept(position, at: now)
    let next = position.next > 0 ? position.next : end.number
    let reading = GroupRowReading(viewerID: userID, memberLimit: 0, time: now)
    var groups = ReadAhead<Int64, ListedGroup>()
    let page = try page(
      Self.changedGroups, [userID, position.number, position.last], limit: list.limit
    ) { row, upcoming -> PageItem<GroupChange<Value>> in
      guard let id = row[3] as Int64? else {
        let url: String = row[2]
        // Escapes in JSON take up to six bytes a character.
        return PageItem(.departed(url: url), byteCount: 6 * url.utf8.count + 2)
      }
      let upcomingIDs: [Int64?] = upcoming.values(3)
      let group = try groups.item(id, upcoming: upcomingIDs.compactMap { $0 }) {
        try listedGroups($0, reading)
      }
      guard let group else { throw StoreError.notFound(.channel) }
      let made = try item(group)
      return PageItem(.updated(made.value), byteCount: made.byteCount)
    } token: { row in
      ChangePosition(number: row[1], last: row[2], next: next).token(of: name)
    }
    var changes = GroupChangePage<Value>()
    for change in page.items {
      switch change {
      case .updated(let group): changes.updated.append(group)
      case .departed(let url): changes.departed.append(url)
      }
    }
    changes.hasMore = !page.next.isEmpty
    changes.token =
      changes.hasMore ? page.next : ChangePosition(number: next).token(of: name)
    return changes
  }

  /// The name of the list, for its tokens.
  private static func groupChangeList(ofUser userID: String) -> [String] {
    ["group changes", userID]
  }

  /// The changes of a user's groups (`?1`) after a number (`?2`) and a URL (`?3`), each group once.
  ///
  /// The members of a deleted group are turned into departures step by step.
  private static var changedGroups: StoreStatement {
    func isNoMember(of url: StoreStatement) -> StoreStatement {
      """
      NOT EXISTS (SELECT 1 FROM channels AS x JOIN members AS y ON y.channel_id = x.channel_id
        WHERE x.url = \(url) AND y.user_id = ?1)
      """
    }
    return """
      SELECT 1, changed, url, channel_id FROM (
        SELECT \(.greater("c.changed_at", "members.changed_at")) AS changed, c.url AS url,
          c.channel_id AS channel_id
        FROM members \(.index("members_by_user")) CROSS JOIN channels AS c
        WHERE members.user_id = ?1 AND c.channel_id = members.channel_id
          AND NOT \(.isUnwantedInvitation)
        UNION ALL
        SELECT d.changed_at, d.url, NULL FROM departures AS d \(.index("departures_by_time"))
        WHERE d.user_id = ?1 AND d.changed_at >= ?2 AND \(isNoMember(of: "d.url"))
        UNION ALL
        SELECT o.changed_at, o.url, NULL FROM members AS m \(.index("members_by_user"))
        CROSS JOIN orphaned_channels AS o
        WHERE m.user_id = ?1 AND o.channel_id = m.channel_id AND o.url IS NOT NULL
          AND o.changed_at >= ?2 AND \(isNoMember(of: "o.url"))
      ) AS changes
      WHERE (changed, url) > (?2, ?3) ORDER BY changed, url
      """
  }
}
