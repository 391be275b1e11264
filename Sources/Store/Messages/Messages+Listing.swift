import GRDB
package import ParleyProtocol

extension StoreTransaction {
  /// The messages that fit a query, in time order or reversed; the filters hold for all of them,
  /// the one at the anchor too.
  ///
  /// - Throws: `StoreError.notFound(.channel)`.
  package func listMessages(_ query: MessageQuery) throws -> [Message] {
    _ = try channelURL(query.channelID)
    let (before, at, after) = try ranges(around: query.anchor, channelID: query.channelID)
    var messages = try slice(query, before, "DESC", limit: query.previousLimit).reversed() + []
    if query.center == .included {
      messages += try slice(query, at, "DESC", limit: MessageRange.limit).reversed()
    }
    messages += try slice(query, after, "ASC", limit: query.nextLimit)
    return query.order == .oldestFirst ? messages : messages.reversed()
  }

  private func ranges(
    around anchor: MessageQuery.Anchor, channelID: Int64
  ) throws -> (before: MessageRange, at: MessageRange, after: MessageRange) {
    switch anchor {
    case .time(let time):
      return (
        MessageRange("created_at < ?", [time]), MessageRange("created_at = ?", [time]),
        MessageRange("created_at > ?", [time])
      )
    case .message(let id):
      let time = try timeOfMessage(id, channelID: channelID)
      let position = "(created_at, message_id)"
      return (
        MessageRange("\(position) < (?, ?)", [time, id]),
        MessageRange("\(position) = (?, ?)", [time, id]),
        MessageRange("\(position) > (?, ?)", [time, id])
      )
    }
  }

  /// When a message was made; for one that is no longer there, when the one before it was, which
  /// puts it at its old place because ids grow with time in a channel.
  private func timeOfMessage(_ id: Int64, channelID: Int64) throws -> Int64 {
    let time = try connection.first(
      "SELECT created_at FROM messages WHERE message_id = ? AND channel_id = ?", [id, channelID]
    ) { $0[0] as Int64 }
    if let time { return time }
    return try connection.first(
      """
      SELECT created_at FROM messages WHERE message_id =
        (SELECT message_id FROM messages INDEXED BY messages_by_seq
         WHERE channel_id = ? AND message_id < ? ORDER BY seq DESC LIMIT 1)
      """, [channelID, id]
    ) { $0[0] as Int64 } ?? -1
  }

  private func slice(
    _ query: MessageQuery, _ range: MessageRange, _ direction: String, limit: Int
  ) throws -> [Message] {
    let limit = min(max(limit, 0), MessageRange.limit)
    guard limit > 0 else { return [] }
    let filter = try query.filter()
    return try storedMessages(
      .time,
      """
      channel_id = ? AND \(range.condition)\(filter.condition)
      ORDER BY created_at \(direction), message_id \(direction) LIMIT ?
      """, [query.channelID] + range.arguments + filter.arguments + [limit],
      channelID: query.channelID
    ).map(\.message)
  }
}

/// A part of a channel's messages, as a condition on a row.
private struct MessageRange {
  /// Most messages that one direction gives.
  static let limit = 200

  let condition: String
  let arguments: Arguments

  init(_ condition: String, _ arguments: Arguments) {
    self.condition = condition
    self.arguments = arguments
  }
}

extension MessageQuery {
  fileprivate func filter() throws -> MessageRange {
    var condition = ""
    var arguments: Arguments = []
    if let messageType {
      condition += " AND type = ?"
      arguments += [messageType.rawValue]
    }
    for (column, values) in [("custom_type", customTypes), ("user_id", senderIDs)]
    where !values.isEmpty {
      condition += " AND \(column) IN (SELECT value FROM json_each(?))"
      arguments += [try StoredJSON.encode(values)]
    }
    return MessageRange(condition, arguments)
  }
}
