import Channels
import ParleyProtocol

/// Positions to which clients of members have received messages.
extension WriteTransaction {
  func deliver(_ deliveries: [Delivery], channelID: Int64) throws {
    // Most members have received the same message.
    for (time, group) in Dictionary(grouping: deliveries, by: \.deliveredAt) {
      try connection.execute(
        """
        UPDATE members SET delivered_at = ?
        WHERE channel_id = ? AND user_id \(.isAnyOf) AND delivered_at < ?
          AND state = \(MemberState.joined.stored)
        """, [time, channelID, StoreValue.texts(group.map(\.userID)), time])
    }
  }
}

/// The places of messages among the countable ones of their group.
extension StoreTransaction {
  /// See ``OwnChangeFacts/place(ofMessage:)``.
  func messagePlace(_ id: Int64, channelID: Int64) throws -> MessagePlace? {
    let found = try connection.first(
      "SELECT ordinal, created_at FROM messages WHERE message_id = ? AND channel_id = ?",
      [id, channelID]
    ) { (ordinal: $0[0] as Int64?, createdAt: $0[1] as Int64) }
    guard let found else { return try deletedPlace(ofMessage: id, channelID: channelID) }
    if let ordinal = found.ordinal, ordinal > 0 {
      return MessagePlace(ordinal: ordinal, createdAt: found.createdAt)
    }
    let ordinal = try lastOrdinal(
      before: id, createdAt: found.createdAt, channelID: channelID)
    return MessagePlace(ordinal: ordinal, createdAt: found.createdAt, isSilent: true)
  }

  private func deletedPlace(ofMessage id: Int64, channelID: Int64) throws -> MessagePlace? {
    try connection.first(
      "SELECT ordinal, created_at FROM uncounted WHERE message_id = ? AND channel_id = ?",
      [id, channelID]
    ) { MessagePlace(ordinal: $0[0], createdAt: $0[1]) }
  }

  /// The last countable message before a silent one.
  private func lastOrdinal(
    before id: Int64, createdAt: Int64, channelID: Int64
  ) throws -> Int64 {
    try connection.first(
      """
      SELECT ordinal FROM messages \(.index("messages_by_time"))
      WHERE channel_id = ? AND (created_at, message_id) < (?, ?) AND ordinal > 0
      ORDER BY created_at DESC, message_id DESC LIMIT 1
      """, [channelID, createdAt, id]
    ) { $0[0] } ?? 0
  }
}
