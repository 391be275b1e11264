package import Channels

/// Finds the message that an upload sent without a recorded result: the server failed in between.
///
/// The log recognizes a repeated send by its name for ten minutes only.
package struct UploadMessageLookup: StoreLookup {
  package enum Outcome: Sendable, Hashable {
    case kept(SequencedMessage)
    /// A message of an ephemeral channel, of which only the file is stored.
    case relayed(messageID: Int64)
    case absent
  }

  package var fileID: String
  package var userID: String
  package var channelURL: String
  /// The name of the send.
  package var requestID: String

  package init(
    of fileID: String, by userID: String, in channelURL: String, named requestID: String
  ) {
    self.fileID = fileID
    self.userID = userID
    self.channelURL = channelURL
    self.requestID = requestID
  }

  package var statements: ReadStatements<Outcome> {
    .init { transaction in
      let found = try transaction.connection.first(
        """
        SELECT f.message_id, f.channel_id
        FROM file_messages AS f \(.index("file_messages_by_file_channel"))
        JOIN channels AS c ON c.channel_id = f.channel_id
        LEFT JOIN messages AS m ON m.message_id = f.message_id
        WHERE f.file_id = ? AND c.url = ?
          AND (m.message_id IS NULL OR m.user_id = ? AND m.req_id = ?)
        ORDER BY f.message_id LIMIT 1
        """, [fileID, channelURL, userID, requestID]
      ) { (id: $0[0] as Int64, channelID: $0[1] as Int64) }
      guard let found else { return .absent }
      guard let message = try transaction.message(found.id, channelID: found.channelID) else {
        return .relayed(messageID: found.id)
      }
      return .kept(message)
    }
  }
}
