package import ParleyProtocol

/// Lists the messages of a channel that have changed since they were sent, and those that were deleted.
///
/// A message is listed in its present state, at its last change. What changes while a client reads page
/// after page, or in transactions that are not visible yet, is listed again from the token of the last page.
/// Messages whose retention has expired are not listed.
///
/// Errors: `notFound(.channel)`, and `invalidPageToken`, also for a token that is too old.
package struct ChangedMessages<Encoder: PageEncoder<ListedMessage>>: StoreQuery {
  /// The store's own number of the channel.
  package var channelID: Int64
  /// The user whom the tokens belong to.
  package var userID: String
  package var list: ChangeList
  /// Only messages from this time on, in Unix milliseconds.
  package var visibleFrom: Int64
  /// Unix milliseconds.
  package var now: Int64
  package var encoder: Encoder

  package init(
    in channelID: Int64, seenBy userID: String, _ list: ChangeList, visibleFrom: Int64,
    at now: Int64, as encoder: Encoder
  ) {
    self.channelID = channelID
    self.userID = userID
    self.list = list
    self.visibleFrom = visibleFrom
    self.now = now
    self.encoder = encoder
  }

  package var statements: ReadStatements<MessageChangePage<Encoder.Encoded>> {
    .init { try $0.messageChanges(self) }
  }
}

/// A part of a list of changed messages.
package struct MessageChangePage<Message: Sendable>: Sendable {
  /// The messages that have changed, in the order of their changes.
  package var updated: [Message] = []
  package var deletedIDs: [Int64] = []
  /// Whether more has changed.
  package var hasMore = false
  /// Continues the list, now or later.
  package var token = ""
}

/// The last change of a message.
enum MessageFate: Int64 {
  case updated = 0
  case deleted = 1
}

private enum ListedChange<Value> {
  case updated(Value)
  case deleted(Int64)
  /// A message whose retention has expired.
  case expired
}

extension StoreTransaction {
  fileprivate func messageChanges<Encoder: PageEncoder<ListedMessage>>(
    _ query: ChangedMessages<Encoder>
  ) throws -> MessageChangePage<Encoder.Encoded> {
    let channelID = query.channelID
    let end = ChangePosition(after: try connection.session.settledChange())
    let name = ["message changes", query.userID, String(channelID)]
    let position = try ChangePosition(query.list.start, of: name)
    try requireKept(position, at: query.now)
    let next = position.next > 0 ? position.next : end.number
    var known = ReadAhead<Int64, Message>()
    let visible = Condition("created_at >= ?", [query.visibleFrom])
    let page = try page(
      """
      SELECT \(visible.flag), changed_at, message_id, fate
      FROM message_changes \(.index("message_changes_by_time"))
      WHERE channel_id = ? AND (changed_at, message_id) > (?, ?)
      ORDER BY changed_at, message_id
      """,
      visible.arguments + [channelID, position.number, Int64(position.last) ?? 0],
      limit: query.list.limit
    ) { row, upcoming -> PageItem<ListedChange<Encoder.Encoded>> in
      let id: Int64 = row[2]
      guard MessageFate(rawValue: row[3]) != .deleted else {
        return PageItem(.deleted(id), byteCount: 20)
      }
      let message = try known.item(id, upcoming: upcoming.values(2)) {
        try messages($0, channelID: channelID)
      }
      guard let message else { return PageItem(.expired, byteCount: 0) }
      let made = query.encoder.encode(ListedMessage(message: message))
      return PageItem(.updated(made.value), byteCount: made.byteCount)
    } token: { row in
      ChangePosition(number: row[1], last: String(row[2] as Int64), next: next).token(of: name)
    }
    var changes = MessageChangePage<Encoder.Encoded>()
    for change in page.items {
      switch change {
      case .updated(let message): changes.updated.append(message)
      case .deleted(let id): changes.deletedIDs.append(id)
      case .expired: break
      }
    }
    changes.hasMore = !page.next.isEmpty
    changes.token = changes.hasMore ? page.next : ChangePosition(number: next).token(of: name)
    return changes
  }
}

extension WriteTransaction {
  /// Notes the last change of a message, for lists of changes.
  ///
  /// - Parameter createdAt: The time of the message, in Unix milliseconds.
  func noteChange(
    ofMessage id: Int64, _ fate: MessageFate, createdAt: Int64, channelID: Int64
  ) throws {
    try connection.execute(
      """
      INSERT INTO message_changes (channel_id, message_id, changed_at, created_at, fate)
      VALUES (?, ?, \(.nextChange), ?, ?)
      ON CONFLICT (channel_id, message_id) DO UPDATE
      SET changed_at = excluded.changed_at, fate = excluded.fate
      """, [channelID, id, createdAt, fate.rawValue])
  }

  /// Forgets some changes of messages that are too old to be listed.
  ///
  /// - Parameter timestamp: Unix milliseconds.
  func pruneChanges(ofMessagesIn channelID: Int64, at timestamp: Int64) throws {
    try connection.execute(
      """
      DELETE FROM message_changes WHERE channel_id = ?1 AND message_id IN (
        SELECT message_id FROM message_changes \(.index("message_changes_by_time"))
        WHERE channel_id = ?1 AND changed_at < ?2 ORDER BY changed_at LIMIT ?3)
      """, [channelID, ChangeList.oldest(at: timestamp) * 1_000, ChannelPurge.rowLimit])
  }
}
