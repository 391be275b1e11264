import ParleyProtocol

/// Makes a user block others; those whom it blocks already stay blocked.
///
/// Errors: `noUser`, and `tooManyItems` when the user would block more than ``Limits/blockedUserCount``.
package struct BlockAddition: StoreWrite {
  package var userID: String
  package var blockedIDs: [String]

  package init(by userID: String, of blockedIDs: [String]) {
    self.userID = userID
    self.blockedIDs = blockedIDs
  }

  package var statements: WriteStatements<Void> {
    .init { try $0.block(blockedIDs, by: userID) }
  }
}

/// Ends the block of a user by another one, if there is one.
package struct BlockRemoval: StoreWrite {
  package var userID: String
  package var blockedID: String

  package init(by userID: String, of blockedID: String) {
    self.userID = userID
    self.blockedID = blockedID
  }

  package var statements: WriteStatements<Void> {
    .init { transaction in
      try transaction.connection.execute(
        "DELETE FROM blocks WHERE user_id = ? AND blocked_id = ?", [userID, blockedID])
    }
  }
}

/// Finds the users who block another one, among the given ones.
package struct BlockersLookup: StoreLookup {
  package var blockedID: String
  package var userIDs: [String]

  package init(of blockedID: String, among userIDs: [String]) {
    self.blockedID = blockedID
    self.userIDs = userIDs
  }

  package var statements: ReadStatements<Set<String>> {
    .init { Set(try $0.blockers(of: blockedID, among: userIDs).map(\.text)) }
  }
}

/// A group with exactly two members.
package struct GroupOfTwo: Sendable, Hashable {
  package var url: String
  /// The member besides the one for whom the group was found.
  package var otherID: String
}

/// Finds the groups whose members are exactly one user and one of the given others, joined or invited.
package struct GroupsOfTwo: StoreLookup {
  package var userID: String
  package var otherIDs: [String]

  package init(of userID: String, andOneOf otherIDs: [String]) {
    self.userID = userID
    self.otherIDs = otherIDs
  }

  package var statements: ReadStatements<[GroupOfTwo]> {
    .init { transaction in
      try transaction.connection.all(
        """
        SELECT c.url, o.user_id FROM members AS m \(.index("members_by_user"))
        CROSS JOIN groups AS g CROSS JOIN members AS o CROSS JOIN channels AS c
        WHERE m.user_id = ? AND g.channel_id = m.channel_id AND g.member_count = 2
          AND o.channel_id = m.channel_id AND o.user_id \(.isAnyOf)
          AND c.channel_id = m.channel_id
        """, [userID, StoreValue.texts(otherIDs)]
      ) { GroupOfTwo(url: $0[0], otherID: $0[1]) }
    }
  }
}

extension WriteTransaction {
  fileprivate func block(_ ids: [String], by userID: String) throws {
    let known = try connection.all(
      "SELECT user_id FROM users WHERE user_id \(.isAnyOf) \(.keepingKey)",
      [StoreValue.texts(ids + [userID])]
    ) { ExactText($0[0]) }
    let present = Set(known)
    if let missing = (ids + [userID]).first(where: { !present.contains(ExactText($0)) }) {
      throw StoreError.noUser(missing)
    }
    try connection.execute(
      """
      INSERT INTO blocks (user_id, blocked_id)
      SELECT ?, user_id FROM users WHERE user_id \(.isAnyOf) ON CONFLICT DO NOTHING
      """, [userID, StoreValue.texts(ids)])
    let count: Int64? = try connection.first(
      "SELECT count(*) FROM blocks WHERE user_id = ?", [userID]
    ) { $0[0] }
    guard count ?? 0 <= Limits.blockedUserCount else {
      throw StoreError.tooManyItems(limit: Limits.blockedUserCount)
    }
  }

  /// Removes blocks by a user, and blocks of it.
  ///
  /// - Parameter limit: The maximum number of blocks of each direction.
  /// - Returns: Whether none is left.
  func removeBlocks(byAndOf userID: String, limit: Int) throws -> Bool {
    let own = try connection.change(
      """
      DELETE FROM blocks WHERE user_id = ?1 AND blocked_id IN
        (SELECT blocked_id FROM blocks WHERE user_id = ?1 LIMIT ?2)
      """, [userID, limit])
    let others = try connection.change(
      """
      DELETE FROM blocks WHERE blocked_id = ?1 AND user_id IN
        (SELECT user_id FROM blocks \(.index("blocks_by_blocked")) WHERE blocked_id = ?1 LIMIT ?2)
      """, [userID, limit])
    return own < limit && others < limit
  }
}

extension StoreTransaction {
  /// The users who block another one, among the given ones.
  func blockers(of blockedID: String, among ids: [String]) throws -> Set<ExactText> {
    let found = try connection.all(
      "SELECT user_id FROM blocks WHERE blocked_id = ? AND user_id \(.isAnyOf)",
      [blockedID, StoreValue.texts(ids)]
    ) { ExactText($0[0]) }
    return Set(found)
  }

  /// The users whom another one blocks, among the given ones.
  func blocked(by userID: String, among ids: [String]) throws -> Set<ExactText> {
    let found = try connection.all(
      "SELECT blocked_id FROM blocks WHERE user_id = ? AND blocked_id \(.isAnyOf)",
      [userID, StoreValue.texts(ids)]
    ) { ExactText($0[0]) }
    return Set(found)
  }

  /// See ``Group/blockerIDs``.
  func blockerIDs(ofGroupOfTwo channelID: Int64) throws -> Set<String> {
    let found = try connection.all(
      """
      SELECT b.user_id FROM members AS m CROSS JOIN members AS o CROSS JOIN blocks AS b
      WHERE m.channel_id = ?1 AND o.channel_id = ?1 AND b.user_id = m.user_id
        AND b.blocked_id = o.user_id
      """, [channelID]
    ) { $0[0] as String }
    return Set(found)
  }
}

extension StoreStatement {
  /// Whether a row of `members` is an invitation by a user whom the invited one blocks.
  static let isUnwantedInvitation: StoreStatement = """
    (members.state = \(MemberState.invited.stored) AND EXISTS (SELECT 1 FROM blocks
      WHERE blocks.user_id = members.user_id AND blocks.blocked_id = members.inviter_id))
    """
}
