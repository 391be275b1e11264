import GRDB
package import ParleyProtocol

extension StoreTransaction {
  /// The messages that fit a query, in time order or reversed; the filters hold for all of them,
  /// the one at the anchor too.
  ///
  /// - Throws: `StoreError.notFound(.channel)`.
  package func listMessages(_ query: MessageQuery) throws -> [Message] {
    guard try channelURL(query.channelID) != nil else { throw StoreError.notFound(.channel) }
    let (before, at, after) = try ranges(around: query.anchor, channelID: query.channelID)
    var messages = try slice(query, before, "DESC", limit: query.previousLimit).reversed() + []
    if query.center == .included {
      messages += try slice(query, at, "DESC", limit: MessageQuery.maximumLimit).reversed()
    }
    messages += try slice(query, after, "ASC", limit: query.nextLimit)
    return query.order == .oldestFirst ? messages : messages.reversed()
  }

  private func ranges(
    around anchor: MessageQuery.Anchor, channelID: Int64
  ) throws -> (before: Condition, at: Condition, after: Condition) {
    switch anchor {
    case .time(let time):
      return (
        Condition("created_at < ?", [time]), Condition("created_at = ?", [time]),
        Condition("created_at > ?", [time])
      )
    case .message(let id):
      let time = try timeOfMessage(id, channelID: channelID)
      let position = "(created_at, message_id)"
      return (
        Condition("\(position) < (?, ?)", [time, id]),
        Condition("\(position) = (?, ?)", [time, id]),
        Condition("\(position) > (?, ?)", [time, id])
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
    _ query: MessageQuery, _ range: Condition, _ direction: String, limit: Int
  ) throws -> [Message] {
    let limit = min(max(limit, 0), MessageQuery.maximumLimit)
    guard limit > 0 else { return [] }
    var condition = Condition("channel_id = ?", [query.channelID])
    condition.require(range.sql, range.arguments)
    if let type = query.messageType { condition.require("type = ?", [type.rawValue]) }
    try condition.require("custom_type", isAnyOf: query.customTypes)
    try condition.require("user_id", isAnyOf: query.senderIDs)
    switch query.operatorFilter {
    case .all: break
    case .operators: condition.require("is_operator = 1")
    case .others: condition.require("is_operator = 0")
    }
    let order = "ORDER BY created_at \(direction), message_id \(direction) LIMIT ?"
    return try storedMessages(
      query.index, "\(condition.sql) \(order)", condition.arguments + [limit],
      channelID: query.channelID
    ).map(\.message)
  }
}

extension MessageQuery {
  /// Most messages that one direction gives.
  fileprivate static let maximumLimit = 200

  fileprivate var index: MessageIndex { operatorFilter == .operators ? .operators : .time }
}
