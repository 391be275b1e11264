import Channels
import ParleyProtocol

extension WriteTransaction {
  /// Removes a message with the records of its changes, and records `message.deleted`.
  ///
  /// - Returns: The event's `seq`.
  /// - Throws: `StoreError.notFound(.message)`.
  func deleteMessage(
    _ id: Int64, channelID: Int64, at timestamp: Int64
  ) throws -> Int64 {
    try retainMaximumMessageID(among: "message_id = ?", [id])
    try withdrawRequest(ofMessage: id, channelID: channelID, at: timestamp)
    let deleted = try connection.all(
      """
      DELETE FROM messages WHERE message_id = ? AND channel_id = ?
      RETURNING user_id, created_at, flood_exempt, ordinal, mention_type, mentioned_users, seq
      """,
      [id, channelID]
    ) {
      (
        userID: $0[0] as String?, createdAt: $0[1] as Int64, isFloodExempt: $0[2] as Bool,
        ordinal: $0[3] as Int64?, mentionType: $0[4] as String, mentionedUsers: $0[5] as String?,
        seq: $0[6] as Int64
      )
    }
    guard let message = deleted.first else { throw StoreError.notFound(.message) }
    try noteChange(
      ofMessage: id, .deleted, createdAt: message.createdAt, channelID: channelID)
    connection.mayHaveRemains = true
    try connection.execute(
      "UPDATE channels SET message_count = message_count - 1 WHERE channel_id = ?", [channelID])
    try connection.execute(
      "DELETE FROM events WHERE channel_id = ? AND message_id = ? AND kind = ?",
      [channelID, id, EventName.messageUpdated.rawValue])
    var deletion = Event.Deletion(messageID: id)
    if let ordinal = message.ordinal {
      (deletion.ordinal, deletion.senderID) = (ordinal, message.userID)
      deletion.arrival = message.seq
      if ordinal > 0 {
        let ids = try message.mentionedUsers.map { try StoredJSON.decode([String].self, from: $0) }
        deletion.mentions = MentionType(rawValue: message.mentionType).flatMap {
          MessageMentions($0, ids ?? [])
        }
        try uncount(
          MessagePlace(ordinal: ordinal, createdAt: message.createdAt), ofMessage: id,
          by: message.userID, channelID: channelID)
      }
    }
    let note = StoredDeletion(
      deletion, limiting: message.isFloodExempt ? nil : message.userID,
      createdAt: message.createdAt)
    return try record(
      .messageDeleted(deletion), channelID: channelID, at: timestamp,
      noting: note.map(StoredJSON.encode)
    ).seq
  }

  /// Remembers the request that created a message, so that a repetition does not create it again; an
  /// empty id stands for no user.
  private func withdrawRequest(
    ofMessage id: Int64, channelID: Int64, at timestamp: Int64
  ) throws {
    guard !connection.keepsRequests else { return }
    let horizon = timestamp - requestIDLifetimeMilliseconds
    try connection.execute("DELETE FROM withdrawn_requests WHERE created_at <= ?", [horizon])
    try connection.execute(
      """
      INSERT OR REPLACE INTO withdrawn_requests (channel_id, user_id, req_id, created_at)
      SELECT channel_id, coalesce(user_id, ''), req_id, created_at FROM messages
      WHERE message_id = ? AND channel_id = ? AND req_id IS NOT NULL AND created_at > ?
      """, [id, channelID, horizon])
  }

  /// Records the largest id before its message is removed, so that no id is assigned twice.
  ///
  /// Nothing is recorded for other messages: all servers would wait for the row of the record.
  ///
  /// - Parameter messages: The condition on the messages to remove.
  func retainMaximumMessageID(
    among messages: StoreStatement, _ arguments: StoreArguments
  ) throws {
    try connection.execute(
      .settingMeta(
        to: """
          SELECT 'max_message_id', message_id FROM messages
          WHERE message_id = (SELECT max(message_id) FROM messages) AND \(messages)
          """, replacing: .greater("meta.value", "excluded.value")), arguments)
  }

  /// Writes the mutable fields of a message, and records `message.updated`.
  ///
  /// - Throws: `StoreError.notFound(.message)`.
  func replaceMessage(
    _ message: Message, channelID: Int64, at timestamp: Int64
  ) throws -> SequencedMessage {
    let count = try connection.change(
      """
      UPDATE messages SET text = ?, data = ?, custom_type = ?, mention_type = ?,
        mentioned_users = ?, metaarray = ?, og_tag = ?, translations = ?, languages_on_demand = ?,
        updated_at = ?
      WHERE message_id = ? AND channel_id = ?
      """,
      [
        message.text, message.data, message.customType, message.mentionType.rawValue,
        StoredJSON.encodeUnlessEmpty(message.mentionedUsers.map(\.id)),
        StoredJSON.encodeUnlessEmpty(message.metaArrays.map(StoredMetaArray.init)),
        message.openGraphTag.map { StoredJSON.encode(StoredOpenGraphTag($0)) },
        StoredJSON.encodeUnlessEmpty(message.translations),
        StoredJSON.encodeUnlessEmpty(message.languagesOnDemand), message.updatedAt, message.id,
        channelID,
      ])
    guard count > 0 else { throw StoreError.notFound(.message) }
    try noteChange(
      ofMessage: message.id, .updated, createdAt: message.createdAt, channelID: channelID)
    if let file = message.file, !file.id.isEmpty, !file.thumbnails.isEmpty {
      try replaceThumbnails(file.thumbnails, ofMessage: message.id)
    }
    let event = Event.messageUpdated(EventMessage(message))
    let seq = try record(event, channelID: channelID, at: timestamp).seq
    return SequencedMessage(message: message, seq: seq)
  }

  /// Writes the thumbnails of a message's file; the rest of the file never changes.
  private func replaceThumbnails(_ thumbnails: [MessageThumbnail], ofMessage id: Int64) throws {
    let text = try connection.first("SELECT file FROM messages WHERE message_id = ?", [id]) {
      $0[0] as String?
    }
    guard let text = text ?? nil else { return }
    var file = try StoredJSON.decode(StoredFile.self, from: text)
    file.thumbnails = StoredFile.stored(thumbnails)
    try connection.execute(
      "UPDATE messages SET file = ? WHERE message_id = ?", [StoredJSON.encode(file), id])
  }
}
