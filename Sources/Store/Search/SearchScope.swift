import Channels
import ParleyProtocol
import Search

/// The messages that a search may find, as conditions on their rows and as tokens of an index.
struct SearchScope {
  /// The joined groups of a user up to which each is looked up in the index; beyond it, entries of other
  /// groups are read too and left out.
  static let groupLimit = 200

  /// On `messages AS m` and `channels AS c`.
  var condition: Condition
  /// Empty for any.
  var places: [SearchPlace]
}

extension StoreTransaction {
  /// - Throws: `StoreError.notFound(.channel)` for a channel that is not among those searched.
  func searchScope(
    of search: MessageSearch, _ searched: SearchedMessages
  ) throws -> SearchScope {
    var condition = Condition(
      "c.channel_id = m.channel_id AND c.is_ephemeral = 0", [])
    var places: [SearchPlace] = []
    if case .visible(let userID) = searched {
      condition.require(
        """
        (c.is_group = 0 OR EXISTS (
          SELECT 1 FROM members WHERE members.channel_id = m.channel_id AND members.user_id = ?
            AND members.state = \(MemberState.joined.stored)
            AND m.created_at >= members.visible_from))
        """, [userID])
      let groups = try connection.all(
        """
        SELECT channel_id FROM members \(.index("members_by_user"))
        WHERE user_id = ? AND state = ? ORDER BY channel_id LIMIT ?
        """, [userID, MemberState.joined.stored, SearchScope.groupLimit + 1]
      ) { $0[0] as Int64 }
      if groups.count <= SearchScope.groupLimit {
        places = [.open] + groups.map(SearchPlace.channel)
      }
    }
    var scope = SearchScope(condition: condition, places: places)
    if let url = search.channelURL {
      let id = try searchedChannel(url, searched)
      scope.condition.require("m.channel_id = ?", [id])
      scope.places = [.channel(id)]
    }
    if let type = search.channelCustomType {
      scope.condition.require("c.custom_type = ?", [type])
    }
    scope.require(search.filter)
    return scope
  }

  /// The number of a channel in which a search may look.
  private func searchedChannel(_ url: String, _ searched: SearchedMessages) throws -> Int64 {
    let userID: String? =
      switch searched {
      case .visible(let userID): userID
      case .all: nil
      }
    let found = try connection.first(
      """
      SELECT channel_id, is_group, EXISTS (
        SELECT 1 FROM members WHERE members.channel_id = channels.channel_id
          AND members.user_id = ? AND members.state = \(MemberState.joined.stored))
      FROM channels WHERE url = ?
      """, [userID ?? "", url]
    ) { (id: $0[0] as Int64, isGroup: $0[1] as Bool, isJoined: $0[2] as Bool) }
    guard let found, userID == nil || !found.isGroup || found.isJoined else {
      throw StoreError.notFound(.channel)
    }
    return found.id
  }
}

extension SearchScope {
  fileprivate mutating func require(_ filter: MessageFilter) {
    condition.require(filter, of: "m.")
    if let from = filter.from { condition.require("m.created_at >= ?", [from]) }
    if let to = filter.to { condition.require("m.created_at <= ?", [to]) }
  }
}
