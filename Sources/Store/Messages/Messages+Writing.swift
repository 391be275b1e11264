package import Channels
import SQLite
package import ParleyProtocol

extension WriteTransaction {
  /// Edits a message, sets its `updated_at`, and records `message.updated`.
  ///
  /// - Throws: `StoreError.notFound(.message)`.
  package func updateMessage(
    _ id: Int64, channelID: Int64, _ changes: MessageChanges, preview: PreviewChange = .keep,
    at timestamp: Int64
  ) throws -> SequencedMessage {
    var message = try existingMessage(id, channelID: channelID)
    if let text = changes.text { message.text = text }
    if let data = changes.data { message.data = data }
    if let customType = changes.customType { message.customType = customType }
    if let mentionType = changes.mentionType { message.mentionType = mentionType }
    if let ids = changes.mentionedUserIDs { message.mentionedUsers = try usersInOrder(ids) }
    if case .replace(let tag) = preview { message.openGraphTag = tag }
    message.updatedAt = timestamp
    return try replaceMessage(message, channelID: channelID, at: timestamp)
  }

  /// Changes a message's extra data and records `message.updated`; `updated_at` stays.
  ///
  /// - Parameter change: Gets the list as it is; when it throws, nothing changes.
  /// - Throws: `StoreError.notFound(.message)`, and what `change` throws.
  package func changeMetaArrays(
    _ id: Int64, channelID: Int64, at timestamp: Int64,
    _ change: (inout [MetaArray]) throws -> Void
  ) throws -> SequencedMessage {
    var message = try existingMessage(id, channelID: channelID)
    try change(&message.metaArrays)
    return try replaceMessage(message, channelID: channelID, at: timestamp)
  }

  /// Puts a link preview on a message and records `message.updated`; `updated_at` stays.
  ///
  /// - Parameter text: What the message said when the preview was asked for.
  /// - Returns: `nil` when the message is gone, says something else by now, or has this preview
  ///   already.
  package func setPreview(
    _ id: Int64, channelID: Int64, ifTextIs text: String, tag: OpenGraphTag?,
    at timestamp: Int64
  ) throws -> SequencedMessage? {
    guard var message = try message(id, channelID: channelID)?.message, message.text == text,
      message.openGraphTag != tag
    else { return nil }
    message.openGraphTag = tag
    return try replaceMessage(message, channelID: channelID, at: timestamp)
  }

  /// Adds translations to a message and records `message.updated`; `updated_at` stays.
  ///
  /// - Returns: `nil` when the message is gone or says something else by now.
  package func addTranslations(
    _ id: Int64, channelID: Int64, ifTextIs text: String, _ translations: [String: String],
    at timestamp: Int64
  ) throws -> SequencedMessage? {
    guard var message = try message(id, channelID: channelID)?.message, message.text == text else {
      return nil
    }
    message.translations.merge(translations) { _, new in new }
    return try replaceMessage(message, channelID: channelID, at: timestamp)
  }

  /// Removes a message with what was recorded of its changes, and records `message.deleted`.
  ///
  /// - Returns: The event's `seq`.
  /// - Throws: `StoreError.notFound(.message)`.
  package func deleteMessage(
    _ id: Int64, channelID: Int64, at timestamp: Int64
  ) throws -> Int64 {
    try retainMaximumMessageID()
    try withdrawRequest(ofMessage: id, channelID: channelID, at: timestamp)
    let count = try connection.change(
      "DELETE FROM messages WHERE message_id = ? AND channel_id = ?", [id, channelID])
    guard count > 0 else { throw StoreError.notFound(.message) }
    connection.mayHaveRemains = true
    try connection.execute(
      "UPDATE channels SET message_count = message_count - 1 WHERE channel_id = ?", [channelID])
    try connection.execute(
      "DELETE FROM events WHERE channel_id = ? AND message_id = ? AND kind = ?",
      [channelID, id, EventKind.messageUpdated.rawValue])
    let seq = try recordEvent(channelID, .messageDeleted, messageID: id, at: timestamp)
    try queueDeletion(ofMessage: id, channelID: channelID, seq: seq, at: timestamp)
    return seq
  }

  /// Remembers the request that made a message, so that its repetition does not bring it back; an
  /// empty id stands for the lack of a user.
  private func withdrawRequest(
    ofMessage id: Int64, channelID: Int64, at timestamp: Int64
  ) throws {
    let horizon = timestamp - requestIDLifetimeMilliseconds
    try connection.execute("DELETE FROM withdrawn_requests WHERE created_at <= ?", [horizon])
    try connection.execute(
      """
      INSERT OR REPLACE INTO withdrawn_requests (channel_id, user_id, req_id, created_at)
      SELECT channel_id, coalesce(user_id, ''), req_id, created_at FROM messages
      WHERE message_id = ? AND channel_id = ? AND req_id IS NOT NULL AND created_at > ?
      """, [id, channelID, horizon])
  }

  /// Notes the largest id before messages go, so that none is ever given out twice.
  func retainMaximumMessageID() throws {
    try connection.execute(
      "INSERT OR REPLACE INTO meta (key, value) VALUES ('max_message_id', ?)",
      [maximumMessageID()])
  }

  private func existingMessage(_ id: Int64, channelID: Int64) throws -> Message {
    guard let found = try message(id, channelID: channelID) else {
      throw StoreError.notFound(.message)
    }
    return found.message
  }

  /// Writes what can change of a message, and records `message.updated`.
  ///
  /// - Throws: `StoreError.notFound(.message)`.
  func replaceMessage(
    _ message: Message, channelID: Int64, at timestamp: Int64
  ) throws -> SequencedMessage {
    let count = try connection.change(
      """
      UPDATE messages SET text = ?, data = ?, custom_type = ?, mention_type = ?,
        mentioned_users = ?, metaarray = ?, og_tag = ?, translations = ?, updated_at = ?
      WHERE message_id = ? AND channel_id = ?
      """,
      [
        message.text, message.data, message.customType, message.mentionType.rawValue,
        StoredJSON.encodeUnlessEmpty(message.mentionedUsers.map(\.id)),
        StoredJSON.encodeUnlessEmpty(message.metaArrays.map(StoredMetaArray.init)),
        message.openGraphTag.map { try StoredJSON.encode(StoredOpenGraphTag($0)) },
        StoredJSON.encodeUnlessEmpty(message.translations), message.updatedAt, message.id,
        channelID,
      ])
    guard count > 0 else { throw StoreError.notFound(.message) }
    let seq = try recordEvent(channelID, .messageUpdated, messageID: message.id, at: timestamp)
    try queueUpdate(of: message, seq: seq, at: timestamp)
    return SequencedMessage(message: message, seq: seq)
  }
}
