/// Reads the owners of the lanes of push jobs.
package struct PushLaneReading: StoreQuery {
  package init() {}

  /// Outcome: all lanes; a lane that no server has claimed has term 0.
  package var statements: ReadStatements<[OutboxLaneRow]> {
    .init { try $0.laneRows(in: .push) }
  }
}

/// Finds the channel of a message, to judge its push to a user.
///
/// Outcome: a job that is not stored. Error: `notFound(.message)`.
package struct PushMessageLookup: StoreLookup {
  package var messageID: Int64
  package var userID: String

  package init(_ messageID: Int64, for userID: String) {
    self.messageID = messageID
    self.userID = userID
  }

  package var statements: ReadStatements<PushJob> {
    .init { transaction in
      let found = try transaction.connection.first(
        """
        SELECT messages.channel_id, channels.url, messages.created_at FROM messages
        JOIN channels ON channels.channel_id = messages.channel_id WHERE messages.message_id = ?
        """, [messageID]
      ) {
        PushJob(
          channelID: $0[0], channelURL: $0[1], messageID: messageID, scope: .user(userID),
          createdAt: $0[2], dueAt: $0[2])
      }
      guard let found else { throw StoreError.notFound(.message) }
      return found
    }
  }
}
