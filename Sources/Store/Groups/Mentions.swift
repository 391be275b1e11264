import Channels
import ParleyProtocol

/// The mentions of a message of a group that members can count as unread.
///
/// Each mentioned user has a row, or the message has one for all members. The rows go with the message and not
/// when they are read, because a member may put its position back to any message of its history.
struct MentionRows {
  let mentions: MessageMentions
  let authorID: String?
  let channelID: Int64
  let ordinal: Int64

  /// - Parameter userIDs: The mentioned users who exist.
  /// - Returns: `nil` for a message that has no ordinal, counts for no member or mentions no one.
  init?(_ new: UnsequencedMessage, _ userIDs: [String], ordinal: Int64?, channelID: Int64) {
    guard new.blockerID == nil, let ordinal, ordinal > 0,
      let mentions = MessageMentions(new.message.mentionType, userIDs)
    else { return nil }
    self.init(mentions, by: new.message.user?.id, ordinal: ordinal, channelID: channelID)
  }

  init(_ mentions: MessageMentions, by authorID: String?, ordinal: Int64, channelID: Int64) {
    self.mentions = mentions
    self.authorID = authorID
    self.channelID = channelID
    self.ordinal = ordinal
  }

  private static let insertion: StoreStatement =
    "INSERT INTO mentions (user_id, channel_id, ordinal, author_id) VALUES (?, ?, ?, ?)"

  private static let channelInsertion: StoreStatement =
    "INSERT INTO channel_mentions (channel_id, ordinal, author_id) VALUES (?, ?, ?)"

  /// The statements with their values.
  var writes: [(statement: StoreStatement, values: StoreArguments)] {
    switch mentions {
    case .users(let ids):
      // Equal as bytes, as in the database.
      let author = authorID.map(ExactText.init)
      return ids.filter { ExactText($0) != author }.map {
        (Self.insertion, [$0, channelID, ordinal, authorID])
      }
    case .channel: return [(Self.channelInsertion, [channelID, ordinal, authorID])]
    }
  }
}

extension StoreStatement {
  /// The number of unread messages that mention a joined member, without those of users whom it blocks; for
  /// statements about `members`, `channels` and `groups`.
  static let unreadMentionCount: StoreStatement = """
    ((SELECT count(*) FROM mentions
      WHERE mentions.user_id = members.user_id AND mentions.channel_id = members.channel_id
        AND mentions.ordinal > \(.readUpTo) AND \(isHeard("mentions")))
      + (SELECT count(*) FROM channel_mentions
        WHERE channel_mentions.channel_id = members.channel_id
          AND channel_mentions.ordinal > \(.readUpTo)
          AND (channel_mentions.author_id IS NULL
            OR channel_mentions.author_id <> members.user_id)
          AND \(isHeard("channel_mentions"))))
    """

  private static func isHeard(_ table: String) -> StoreStatement {
    """
    NOT EXISTS (SELECT 1 FROM blocks
      WHERE blocks.user_id = members.user_id AND blocks.blocked_id = \(table).author_id)
    """
  }
}

extension StoreTransaction {
  /// A member's own part in a group; `nil` for a user who is no member.
  func ownReading(of userID: String, channelID: Int64) throws -> OwnReading? {
    guard let member = try members([userID], channelID: channelID)[ExactText(userID)] else {
      return nil
    }
    return try ownReading(member, channelID: channelID)
  }

  /// - Parameter member: The member as it is stored.
  func ownReading(_ member: Member, channelID: Int64) throws -> OwnReading {
    let numbers = try connection.first(
      """
      SELECT groups.floor_ordinal, CASE WHEN members.state = \(MemberState.joined.stored)
        THEN \(.unreadMentionCount) ELSE 0 END
      FROM members CROSS JOIN groups
      WHERE members.channel_id = ? AND members.user_id = ? AND groups.channel_id = members.channel_id
      """, [channelID, member.user.id]
    ) { (floor: $0[0] as Int64, mentions: $0[1] as Int64) }
    return OwnReading(
      member, inviter: try member.inviterID.flatMap { try user($0) },
      floorOrdinal: numbers?.floor ?? 0, mentionCount: numbers?.mentions ?? 0)
  }

  /// The joined members of a group who block a user.
  func joinedBlockers(of userID: String, channelID: Int64) throws -> [String] {
    try connection.all(
      """
      SELECT members.user_id FROM blocks \(.index("blocks_by_blocked")) CROSS JOIN members
      WHERE blocks.blocked_id = ? AND members.channel_id = ? AND members.user_id = blocks.user_id
        AND members.state = \(MemberState.joined.stored)
        AND EXISTS (SELECT 1 FROM channels WHERE channels.channel_id = members.channel_id)
      ORDER BY blocks.user_id
      """, [userID, channelID]
    ) { $0[0] }
  }
}

extension WriteTransaction {
  /// Replaces the mentions of a message, unless it counts for no member.
  func replaceMentions(of message: Message, channelID: Int64) throws {
    let place = try connection.first(
      """
      SELECT ordinal, user_id FROM messages WHERE message_id = ? AND \(.isCounted)
      """, [message.id]
    ) { (ordinal: $0[0] as Int64?, authorID: $0[1] as String?) }
    guard let place, let ordinal = place.ordinal, ordinal > 0 else { return }
    try removeMentions(ofMessage: ordinal, channelID: channelID)
    guard let mentions = MessageMentions(of: message) else { return }
    let rows = MentionRows(mentions, by: place.authorID, ordinal: ordinal, channelID: channelID)
    for write in rows.writes { try connection.execute(write.statement, write.values) }
  }

  func removeMentions(ofMessage ordinal: Int64, channelID: Int64) throws {
    for table in StoreStatement.mentionTables {
      try connection.execute(
        "DELETE FROM \(table) WHERE channel_id = ? AND ordinal = ?", [channelID, ordinal])
    }
  }

  /// Removes the mentions in messages that have expired.
  func removeMentions(upTo ordinal: Int64, channelID: Int64) throws {
    for table in StoreStatement.mentionTables {
      try connection.execute(
        "DELETE FROM \(table) WHERE channel_id = ? AND ordinal <= ?", [channelID, ordinal])
    }
  }

  /// Removes mentions of a user that is being deleted.
  ///
  /// - Returns: Whether none is left.
  func removeMentions(of userID: String, limit: Int) throws -> Bool {
    try connection.change(
      """
      DELETE FROM mentions WHERE user_id = ?1 AND (channel_id, ordinal) IN
        (SELECT channel_id, ordinal FROM mentions WHERE user_id = ?1 LIMIT ?2)
      """, [userID, limit]) < limit
  }
}

extension StoreStatement {
  fileprivate static let mentionTables: [StoreStatement] = ["mentions", "channel_mentions"]
}
