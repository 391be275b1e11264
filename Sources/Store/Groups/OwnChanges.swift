import Channels
import ParleyProtocol

/// Changes of members' own parts in a group.
extension WriteTransaction {
  /// - Parameter visibleFrom: ``Member/visibleFrom`` if the history begins again.
  /// - Throws: `LogError.missing(.member)`, or `StoreError.notFound(.message)`.
  func changeOwn(
    _ change: OwnChange, of userID: String, channelID: Int64, visibleFrom: Int64
  ) throws -> OwnReading {
    guard let member = try members([userID], channelID: channelID)[ExactText(userID)],
      member.state == .joined
    else { throw LogError.missing(.member) }
    let last = try lastPlace(inGroup: channelID)
    let facts = StoredOwnChangeFacts(reading: self, channelID: channelID, last: last)
    guard let changed = try member.applying(change, visibleFrom: visibleFrom, facts) else {
      throw StoreError.notFound(.message)
    }
    if changed != member { try store(changed, channelID: channelID) }
    return try ownReading(changed, channelID: channelID)
  }

  private func lastPlace(inGroup id: Int64) throws -> MessagePlace {
    let found = try connection.first(
      "SELECT last_ordinal, last_created_at FROM channels WHERE channel_id = ?", [id]
    ) { MessagePlace(ordinal: $0[0], createdAt: $0[1]) }
    guard let found else { throw StoreError.notFound(.channel) }
    return found
  }

  private func store(_ member: Member, channelID: Int64) throws {
    let (position, hiding) = (member.position, member.hiding.stored)
    try connection.execute(
      """
      UPDATE members SET visible_from = ?, read_ordinal = ?, read_at = ?, floor_ordinal = ?,
        own_after = ?, delivered_at = ?, hidden = ?, hidden_ordinal = ?, count_preference = ?,
        push_trigger = ?, changed_at = \(.nextChange)
      WHERE channel_id = ? AND user_id = ?
      """,
      [
        member.visibleFrom, position.ordinal, position.readAt, position.floor, position.ownAfter,
        member.deliveredAt, hiding.kind, hiding.ordinal, member.countPreference.stored,
        member.pushTrigger.stored, channelID, member.user.id,
      ])
  }

  /// Notes that a countable message was deleted, which is then unread for no member.
  func uncount(
    _ place: MessagePlace, ofMessage id: Int64, by userID: String?, channelID: Int64
  ) throws {
    try removeMentions(ofMessage: place.ordinal, channelID: channelID)
    let count = try connection.change(
      "\(DisregardedMessage.insertion) ON CONFLICT DO NOTHING",
      [channelID, place.ordinal, id, place.createdAt])
    guard count > 0, let userID else { return }
    try connection.execute(
      """
      UPDATE members SET own_after = own_after - 1
      WHERE channel_id = ? AND user_id = ? AND own_after > 0 AND read_ordinal < ?
        AND floor_ordinal < ?
      """, [channelID, userID, place.ordinal, place.ordinal])
  }

  /// Raises the floor of a group, of which messages are about to expire.
  func raiseFloor(to ordinal: Int64, channelID: Int64) throws {
    try connection.execute(
      "UPDATE groups SET floor_ordinal = ? WHERE channel_id = ? AND floor_ordinal < ?",
      [ordinal, channelID, ordinal])
    try connection.execute(
      "DELETE FROM uncounted WHERE channel_id = ? AND ordinal <= ?", [channelID, ordinal])
    try removeMentions(upTo: ordinal, channelID: channelID)
    try connection.execute(
      "UPDATE channels SET changed_at = \(.nextChange) WHERE channel_id = ?", [channelID])
  }

  /// Counts the own messages of members again, of which some have expired.
  func recountOwnMessages(channelID: Int64) throws {
    try connection.execute(
      """
      UPDATE members SET own_after = (
        SELECT count(*) FROM messages \(.index("messages_by_sender"))
        WHERE messages.channel_id = members.channel_id AND messages.user_id = members.user_id
          AND messages.ordinal > \(.greater("members.read_ordinal", "members.floor_ordinal"))
          AND \(.isCounted))
      WHERE channel_id = ? AND own_after > 0
      """, [channelID])
  }
}

private struct StoredOwnChangeFacts: OwnChangeFacts {
  let reading: WriteTransaction
  let channelID: Int64
  let last: MessagePlace

  func place(ofMessage id: Int64) throws -> MessagePlace? {
    try reading.messagePlace(id, channelID: channelID)
  }

  func place(atTime time: Int64) throws -> MessagePlace? {
    try reading.connection.first(
      """
      SELECT ordinal, created_at FROM messages \(.index("messages_by_time"))
      WHERE channel_id = ? AND created_at <= ? AND ordinal > 0
      ORDER BY created_at DESC, message_id DESC LIMIT 1
      """, [channelID, time]
    ) { MessagePlace(ordinal: $0[0], createdAt: $0[1]) }
  }

  func count(
    ofMessagesBy userID: String, from createdAt: Int64, after ordinal: Int64
  ) throws -> Int64 {
    try reading.connection.first(
      """
      SELECT count(*) FROM messages \(.index("messages_by_sender"))
      WHERE channel_id = ? AND user_id = ? AND created_at >= ? AND ordinal > ? AND \(.isCounted)
      """, [channelID, userID, createdAt, ordinal]
    ) { $0[0] } ?? 0
  }
}
