package import Channels
package import ParleyProtocol

/// Lists messages of a channel, each encoded as it is read.
///
/// Unlike ``MessageLog/list(_:for:_:to:)`` it never holds a page as values in memory. Error:
/// `notFound(.channel)`.
package struct MessageListing<Encoder: PageEncoder<ListedMessage>>: StoreQuery {
  package var query: MessageQuery
  package var users: ListedUsers
  package var encoder: Encoder

  package init(_ query: MessageQuery, users: ListedUsers = .profiles, as encoder: Encoder) {
    self.query = query
    self.users = users
    self.encoder = encoder
  }

  package var statements: ReadStatements<MessagePage<Encoder.Encoded>> {
    .init { transaction in
      try transaction.listMessages(query) { message in
        switch users {
        case .profiles: encoder.encode(ListedMessage(message: message.message))
        case .profilesAndStates: encoder.encode(message)
        }
      }
    }
  }
}

/// The data about users that is read with each message of a list.
package enum ListedUsers: Sendable, Hashable {
  case profiles
  /// Profiles, and whether the users are deactivated.
  case profilesAndStates
}

/// A message of a list.
package struct ListedMessage: Sendable {
  package var message: Message
  /// The deactivated users among its users; empty when they were not requested.
  package var deactivatedIDs: Set<String> = []
}

extension Message {
  /// Its author and the users that it mentions.
  package var userIDs: Set<String> {
    var ids = Set(mentionedUsers.map(\.id))
    if let user { ids.insert(user.id) }
    return ids
  }
}

extension StoreTransaction {
  /// The messages that match a query, in time order or reversed; the filters apply to all of them,
  /// including the one at the anchor.
  ///
  /// The page has no gaps. It is shorter when its bytes or its time run out first; it then reports that
  /// there is more, though the rest may turn out not to match.
  ///
  /// - Throws: `StoreError.notFound(.channel)`.
  func listMessages<Value>(
    _ query: MessageQuery, _ item: (ListedMessage) throws -> PageItem<Value>
  ) throws -> MessagePage<Value> {
    guard let url = try channelURL(query.channelID) else { throw StoreError.notFound(.channel) }
    let ranges = try ranges(of: query)
    return try withoutActuallyEscaping(item) { item in
      var reading = MessageListReading(
        transaction: self, query: query, channelURL: url, item: item)
      var center = MessageStretch<Value>()
      if query.center == .included, let at = ranges.at {
        center = try reading.read(at, .backward, limit: MessageQuery.maximumLimit)
      }
      // If messages at the anchor are left out, those before it would come after a gap.
      func readBefore() throws -> MessageStretch<Value> {
        guard center.isComplete else { return MessageStretch(isComplete: false) }
        return try reading.read(ranges.before, .backward, limit: query.previousLimit)
      }
      // A side that is only checked for the existence of messages gets the remaining time.
      if query.previousLimit <= 0 {
        let after = try reading.read(ranges.after, .forward, limit: query.nextLimit)
        return try page(query, readBefore(), center, after)
      }
      let before = try readBefore()
      let after = try reading.read(ranges.after, .forward, limit: query.nextLimit)
      return try page(query, before, center, after)
    }
  }

  private func page<Value>(
    _ query: MessageQuery, _ before: MessageStretch<Value>, _ center: MessageStretch<Value>,
    _ after: MessageStretch<Value>
  ) throws -> MessagePage<Value> {
    let items = before.items.reversed() + center.items.reversed() + after.items
    var page = MessagePage(
      items: query.order == .oldestFirst ? items : items.reversed(), previous: nil, next: nil)
    if !before.isComplete {
      let last = before.last ?? center.last
      page.previous = MessageEdge(messageID: try last ?? idBefore(query))
    }
    if !after.isComplete {
      let last = after.last ?? center.first
      page.next = MessageEdge(messageID: try last ?? idAfter(query))
    }
    return page
  }

  /// An id that separates the messages before the anchor: exactly these have smaller ids.
  private func idBefore(_ query: MessageQuery) throws -> Int64 {
    switch query.anchor {
    case .message(let id): return id
    case .time(let time):
      let others = Condition("created_at >= ?", [max(time, query.earliest)])
      if let first = try nearest(others, "ASC", query) { return first }
      return (try nearest(query.before(time: time), "DESC", query) ?? 0) + 1
    }
  }

  /// The same for the messages after the anchor.
  private func idAfter(_ query: MessageQuery) throws -> Int64 {
    switch query.anchor {
    case .message(let id): return id
    case .time(let time):
      let others = Condition(
        "created_at <= ? AND created_at >= ?", [time, query.earliest])
      if let last = try nearest(others, "DESC", query) { return last }
      return max((try nearest(query.after(time: time), "ASC", query) ?? 1) - 1, 1)
    }
  }

  private func nearest(
    _ range: Condition, _ direction: String, _ query: MessageQuery
  ) throws -> Int64? {
    try connection.first(
      """
      SELECT message_id FROM messages \(.index("messages_by_time"))
      WHERE channel_id = ? AND \(range.sql)
      ORDER BY created_at \(direction), message_id \(direction) LIMIT 1
      """, [query.channelID] + range.arguments
    ) { $0[0] as Int64 }
  }

  /// The visible messages around the anchor; `at` is `nil` when the anchor is not visible.
  private func ranges(
    of query: MessageQuery
  ) throws -> (before: Condition, at: Condition?, after: Condition) {
    switch query.anchor {
    case .time(let time):
      return (
        query.before(time: time),
        query.times.contains(time) ? Condition("created_at = ?", [time]) : nil,
        query.after(time: time)
      )
    case .message(let id):
      let time = try timeOfMessage(id, channelID: query.channelID)
      let position = "(created_at, message_id)"
      // All listed messages are on one side of one that is not.
      guard query.times.contains(time) else {
        return (query.before(time: time), nil, query.after(time: time))
      }
      return (
        query.notBefore(query.earliest, Condition("\(position) < (?, ?)", [time, id])),
        Condition("\(position) = (?, ?)", [time, id]),
        query.notAfter(query.latest, Condition("\(position) > (?, ?)", [time, id]))
      )
    }
  }

  /// The creation time of a message; for one that no longer exists, that of the previous one, which
  /// keeps its old position because ids grow with time in a channel.
  private func timeOfMessage(_ id: Int64, channelID: Int64) throws -> Int64 {
    let time = try connection.first(
      "SELECT created_at FROM messages WHERE message_id = ? AND channel_id = ?", [id, channelID]
    ) { $0[0] as Int64 }
    if let time { return time }
    guard let earlier = try lastMessage(before: id, channelID: channelID) else { return -1 }
    return try connection.first("SELECT created_at FROM messages WHERE message_id = ?", [earlier]) {
      $0[0] as Int64
    } ?? -1
  }

  /// The id of the last message before an id.
  ///
  /// Found by bisecting the range of `seq`: a channel may hold millions of messages, and no index leads from an id
  /// to the previous one. Imported messages have a `seq` that follows from their id.
  private func lastMessage(before id: Int64, channelID: Int64) throws -> Int64? {
    var found = try last(of: channelID, upTo: min(ImportedMessageIDs.seq(of: id - 1), -1))?.id
    var low: Int64 = 1
    var high = try last(of: channelID, upTo: .max)?.seq ?? -1
    while low <= high {
      let middle = low + (high - low) / 2
      // The last message up to the middle; the messages between it and the middle are deleted.
      guard let message = try last(of: channelID, upTo: middle), message.seq >= low else {
        low = middle + 1
        continue
      }
      if message.id < id {
        found = max(found ?? message.id, message.id)
        low = middle + 1
      } else {
        high = message.seq - 1
      }
    }
    return found
  }

  /// The last message of a channel up to a `seq`.
  private func last(of channelID: Int64, upTo seq: Int64) throws -> (id: Int64, seq: Int64)? {
    try connection.first(
      """
      SELECT message_id, seq FROM messages \(.index("messages_by_seq"))
      WHERE channel_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1
      """, [channelID, seq]
    ) { (id: $0[0] as Int64, seq: $0[1] as Int64) }
  }
}

extension MessageQuery {
  /// Maximum number of messages in one direction.
  fileprivate static let maximumLimit = 200

  /// The earliest `created_at` of a message that is listed.
  fileprivate var earliest: Int64 { max(visibleFrom, filter.from ?? 0) }
  /// The latest one.
  fileprivate var latest: Int64 { filter.to ?? .max }
  fileprivate var times: ClosedRange<Int64> { min(earliest, latest)...latest }

  /// The listed messages before a time: one bound on either side, since a scan begins at only one.
  fileprivate func before(time: Int64) -> Condition {
    notBefore(
      earliest,
      time > latest
        ? Condition("created_at <= ?", [latest]) : Condition("created_at < ?", [time]))
  }

  /// The listed messages after a time.
  fileprivate func after(time: Int64) -> Condition {
    notAfter(
      latest,
      time < earliest
        ? Condition("created_at >= ?", [earliest]) : Condition("created_at > ?", [time]))
  }

  /// Ends a range at the oldest listed message.
  fileprivate func notBefore(_ time: Int64, _ range: Condition) -> Condition {
    guard time > 0 else { return range }
    var range = range
    range.require("created_at >= ?", [time])
    return range
  }

  /// Ends a range at the newest listed message.
  fileprivate func notAfter(_ time: Int64, _ range: Condition) -> Condition {
    guard time < .max else { return range }
    var range = range
    range.require("created_at <= ?", [time])
    return range
  }
}
