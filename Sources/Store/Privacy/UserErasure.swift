import Channels
import ParleyProtocol

/// Gives some messages of a user to a pseudonym that no user has.
///
/// Outcome: the number of changed messages; fewer than ``limit`` when the channel has none left.
package struct MessageAnonymization: StoreWrite {
  package var userID: String
  package var pseudonym: String
  /// The ids of the messages.
  package var messageIDs: [Int64]

  package init(of userID: String, as pseudonym: String, _ messageIDs: [Int64]) {
    self.userID = userID
    self.pseudonym = pseudonym
    self.messageIDs = messageIDs
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Void> { .init { try $0.anonymize(self) } }
}

/// Removes mentions of a user from messages of others, some messages at a time, except where a legal hold keeps
/// them.
package struct UserMentionErasure: StoreWrite {
  package struct Outcome: Sendable, Hashable {
    /// The message after which to continue; `nil` at the end.
    package var next: Int64?
  }

  package var userID: String
  /// The message after which to look.
  package var position: Int64
  package var limit: Int

  package init(of userID: String, after position: Int64, limit: Int = 5_000) {
    self.userID = userID
    self.position = position
    self.limit = limit
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Outcome> { .init { try $0.eraseMentions(self) } }
}

/// Removes a user as the creator of groups and as the inviter of members, some groups at a time.
package struct GroupTraceErasure: StoreWrite {
  package var userID: String
  /// The store's own number of the group after which to look.
  package var position: Int64
  package var limit: Int

  package init(of userID: String, after position: Int64, limit: Int = 200) {
    self.userID = userID
    self.position = position
    self.limit = limit
  }

  package var urgency: WriteUrgency { .aside }
  /// The group after which to continue; `nil` at the end.
  package var statements: WriteStatements<Int64?> { .init { try $0.eraseGroupTraces(self) } }
}

/// Removes the rest of what names a user, once the user and its messages are gone.
package struct UserRemainsErasure: StoreWrite {
  /// The fate of the user's messages.
  package enum Messages: String, Sendable, CaseIterable {
    case remove
    case anonymize
    case keep
  }

  package var userID: String
  package var messages: Messages

  package init(of userID: String, messages: Messages) {
    self.userID = userID
    self.messages = messages
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Void> { .init { try $0.eraseRemains(self) } }
}

extension WriteTransaction {
  fileprivate func anonymize(_ step: MessageAnonymization) throws {
    let ids = StoreValue.integers(step.messageIDs)
    let messages = try connection.all(
      """
      SELECT channel_id, ordinal, mentioned_users FROM messages
      WHERE message_id \(.isAnyOf) AND user_id = ?
      """, [ids, step.userID]
    ) { (channelID: $0[0] as Int64, ordinal: $0[1] as Int64?, mentioned: $0[2] as String?) }
    for message in messages {
      guard let ordinal = message.ordinal else { continue }
      try connection.execute(
        "UPDATE channel_mentions SET author_id = ? WHERE channel_id = ? AND ordinal = ? AND author_id = ?",
        [step.pseudonym, message.channelID, ordinal, step.userID])
      let mentioned = try message.mentioned.map { try StoredJSON.decode([String].self, from: $0) }
      try connection.execute(
        """
        UPDATE mentions SET author_id = ?
        WHERE user_id \(.isAnyOf) AND channel_id = ? AND ordinal = ? AND author_id = ?
        """,
        [
          step.pseudonym, StoreValue.texts(mentioned ?? []), message.channelID, ordinal,
          step.userID,
        ])
    }
    try connection.execute(
      """
      UPDATE messages SET user_id = ?, req_id = NULL WHERE message_id \(.isAnyOf) AND user_id = ?
      """, [step.pseudonym, ids, step.userID])
    // An event of a change has the message with its author.
    for message in step.messageIDs {
      try connection.execute(
        """
        DELETE FROM events WHERE message_id = ? AND kind = ?
          AND channel_id = (SELECT channel_id FROM messages WHERE message_id = ?)
        """, [message, EventName.messageUpdated.rawValue, message])
    }
  }

  fileprivate func eraseMentions(
    _ step: UserMentionErasure
  ) throws -> UserMentionErasure.Outcome {
    let found = try connection.all(
      """
      SELECT message_id, mentioned_users FROM messages \(.primaryKey)
      WHERE message_id > ? ORDER BY message_id LIMIT ?
      """, [step.position, step.limit]
    ) { (id: $0[0] as Int64, mentioned: $0[1] as String?) }
    let name = ExactText(step.userID)
    for message in found {
      guard let text = message.mentioned else { continue }
      let ids = try StoredJSON.decode([String].self, from: text)
      let rest = ids.filter { ExactText($0) != name }
      guard rest.count < ids.count else { continue }
      try connection.execute(
        """
        UPDATE messages SET mentioned_users = ?
        WHERE message_id = ? AND channel_id NOT IN (SELECT channel_id FROM channels WHERE is_held = 1)
        """,
        [StoredJSON.encodeUnlessEmpty(rest), message.id])
    }
    return .init(next: found.count < step.limit ? nil : found.last?.id)
  }

  fileprivate func eraseGroupTraces(_ step: GroupTraceErasure) throws -> Int64? {
    let groups = try connection.all(
      "SELECT channel_id FROM groups WHERE channel_id > ? ORDER BY channel_id LIMIT ?",
      [step.position, step.limit]
    ) { $0[0] as Int64 }
    guard let last = groups.last else { return nil }
    for (table, column) in [("groups", "creator_id"), ("members", "inviter_id")] {
      try connection.execute(
        """
        UPDATE \(table) SET \(column) = NULL
        WHERE channel_id > ? AND channel_id <= ? AND \(column) = ?
        """, [step.position, last, step.userID])
    }
    return groups.count < step.limit ? nil : last
  }

  fileprivate func eraseRemains(_ step: UserRemainsErasure) throws {
    let id = step.userID
    try connection.execute("DELETE FROM push_jobs WHERE user_id = ?", [id])
    if connection.keepsRequests {
      try connection.execute("DELETE FROM requests WHERE user_id = ?", [id])
    } else {
      try connection.execute("DELETE FROM withdrawn_requests WHERE user_id = ?", [id])
    }
    try connection.execute(
      """
      UPDATE uploads SET name = '', message = NULL, message_result = NULL, message_error = NULL,
        sealed_tail = NULL
      WHERE user_id = ?
      """, [id])
    // Files that came with its messages, whose uploads have ended and belong to no user.
    try connection.execute(
      "UPDATE uploads SET name = '' WHERE user_id = '' AND stage IN ('expired', 'cancelled')", [])
    guard step.messages != .keep else { return }
    try connection.execute("UPDATE files SET user_id = '' WHERE user_id = ?", [id])
    try connection.execute(
      "UPDATE reports SET message = NULL, offender_id = NULL WHERE offender_id = ?", [id])
    // The events of its messages that wait for receivers.
    let quoted = StoredJSON.encode(id)
    try connection.execute(
      "DELETE FROM webhook_events WHERE \(.contains("body"))", ["\"user_id\":\(quoted)"])
  }
}
