package import ParleyProtocol

/// A message of a user.
package struct OwnedMessage: Sendable, Hashable {
  package var channelURL: String
  package var kind: ChannelKind
  package var id: Int64
}

/// The position of a pass over all channels, and over a user's messages in one of them.
package struct ChannelPassPosition: Sendable, Hashable {
  /// The store's own number of the channel that is being read; 0 at the beginning.
  package var channel: Int64 = 0
  /// The creation time of the last message of it, and its id.
  package var time: Int64 = -1
  package var message: Int64 = 0

  package init() {}

  package var text: String { "\(channel):\(time):\(message)" }

  package init?(_ text: String) {
    let parts = text.split(separator: ":").map { Int64($0) }
    guard parts.count == 3, let channel = parts[0], let time = parts[1], let message = parts[2]
    else { return nil }
    (self.channel, self.time, self.message) = (channel, time, message)
  }
}

/// Finds some messages of a user in channels without a legal hold, channel by channel.
///
/// Reads the index of senders once for each channel of the deployment.
package struct UserMessagesPage: StoreQuery {
  package struct Outcome: Sendable, Hashable {
    package var messages: [OwnedMessage] = []
    package var position: ChannelPassPosition
    /// Whether no channels are left.
    package var isLast = false
  }

  package var userID: String
  package var position: ChannelPassPosition
  package var limit: Int

  package init(of userID: String, after position: ChannelPassPosition, limit: Int = 100) {
    self.userID = userID
    self.position = position
    self.limit = limit
  }

  package var statements: ReadStatements<Outcome> { .init { try $0.userMessages(self) } }
}

extension StoreTransaction {
  fileprivate func userMessages(_ query: UserMessagesPage) throws -> UserMessagesPage.Outcome {
    var page = UserMessagesPage.Outcome(position: query.position)
    let channels = try connection.scan(
      """
      SELECT channel_id, url, is_group FROM channels \(.primaryKey)
      WHERE channel_id >= ? AND is_held = 0 ORDER BY channel_id
      """, [query.position.channel])
    while let row = try channels.next() {
      let (number, url): (Int64, String) = (row[0], row[1])
      let kind: ChannelKind = row[2] as Bool ? .group : .open
      if number != page.position.channel {
        page.position = ChannelPassPosition()
        page.position.channel = number
      }
      let left = query.limit - page.messages.count
      let found = try connection.all(
        """
        SELECT created_at, message_id FROM messages \(.index("messages_by_sender"))
        WHERE channel_id = ? AND user_id = ? AND (created_at, message_id) > (?, ?)
        ORDER BY created_at, message_id LIMIT ?
        """, [number, query.userID, page.position.time, page.position.message, left]
      ) { (time: $0[0] as Int64, id: $0[1] as Int64) }
      page.messages += found.map { OwnedMessage(channelURL: url, kind: kind, id: $0.id) }
      if let last = found.last {
        (page.position.time, page.position.message) = (last.time, last.id)
      }
      if page.messages.count >= query.limit || time?.isOverAfterRow() == true { return page }
    }
    page.isLast = true
    return page
  }
}
