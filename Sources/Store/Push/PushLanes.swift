/// Reads the owners of the lanes of push jobs.
package struct PushLaneReading: StoreQuery {
  package init() {}

  /// Outcome: all lanes; a lane that no server has claimed has term 0.
  package var statements: ReadStatements<[OutboxLaneRow]> {
    .init { try $0.laneRows(in: .push) }
  }
}

/// Makes a server the owner of lanes of push jobs whose rows have not changed since it read them.
///
/// Outcome: the lanes that the server owns now.
package struct PushLaneClaim: StoreWrite {
  package var serverID: UInt64
  package var rows: [OutboxLaneRow]

  package init(of rows: [OutboxLaneRow], by serverID: UInt64) {
    self.rows = rows
    self.serverID = serverID
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<[OutboxHold]> {
    .init { try $0.claimLanes(rows, in: .push, for: serverID) }
  }
}

/// Frees lanes of push jobs for their next owner; lanes that it has claimed already are unchanged.
package struct PushLaneRelease: StoreWrite {
  package var holds: [OutboxHold]

  package init(of holds: [OutboxHold]) { self.holds = holds }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Void> {
    .init { try $0.releaseLanes(holds, in: .push) }
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
