import Channels
import ParleyProtocol

/// The events of channels; the arrival of a message has no row, since the message has a `seq`.
extension StoreTransaction {
  /// The events of a channel after `seq`, in order; messages deleted since are left out.
  ///
  /// - Parameters:
  ///   - channelID: The store's own number of the channel.
  ///   - seq: The event after which to begin.
  ///   - byteLimit: Maximum total size of the events; it is computed before any event is read.
  /// - Returns: `nil` when more than ``EventLog/recoverableCount`` events are missing, or when the
  ///   channel's count never reached `seq`.
  /// - Throws: `StoreError.notFound(.channel)`.
  func events(
    channelID: Int64, after seq: Int64, byteLimit: Int64 = .max
  ) throws -> [DurableEvent]? {
    let lastSeq = try connection.first(
      "SELECT last_seq FROM channels WHERE channel_id = ?", [channelID]
    ) { $0[0] as Int64 }
    guard let lastSeq else { throw StoreError.notFound(.channel) }
    guard seq >= 0, seq <= lastSeq, lastSeq - seq <= EventLog.recoverableCount else { return nil }
    if byteLimit < .max, try eventByteCount(channelID, after: seq) > byteLimit { return nil }
    let received = try storedMessages(
      .seq, "channel_id = ? AND seq > ? ORDER BY seq", [channelID, seq], channelID: channelID
    ).map { DurableEvent.received($0.message, seq: $0.seq) }
    let others = try connection.all(
      """
      SELECT seq, kind, message_id, payload, ts FROM events WHERE channel_id = ? AND seq > ?
      """, [channelID, seq], LoggedEvent.init(row:))
    return (received + (try withMessages(others, channelID: channelID)))
      .sorted { $0.seq < $1.seq }
  }

  /// The last updates of messages up to an event, within some time before it, in order.
  ///
  /// - Parameters:
  ///   - channelID: The store's own number of the channel.
  ///   - seq: The event's number. When the event no longer exists, the last one before it is used.
  ///   - milliseconds: The time, by the events' timestamps.
  ///   - limit: Maximum number of messages.
  /// - Returns: `nil` when more messages than that were updated.
  func recentUpdates(
    channelID: Int64, upTo seq: Int64, within milliseconds: Int64, limit: Int = 300
  ) throws -> [DurableEvent]? {
    guard let time = try timestamp(channelID, upTo: seq) else { return [] }
    let rows = try connection.all(
      Self.lastUpdates,
      [channelID, seq, time - milliseconds, EventName.messageUpdated.rawValue, limit + 1],
      LoggedEvent.init(row:))
    guard rows.count <= limit else { return nil }
    return try withMessages(rows, channelID: channelID)
  }

  private static var lastUpdates: StoreStatement {
    let condition = """
      WHERE channel_id = ?1 AND seq <= ?2 AND kind = ?4 AND seq > coalesce((
        SELECT seq FROM events WHERE channel_id = ?1 AND seq <= ?2 AND ts <= ?3
        ORDER BY seq DESC LIMIT 1), 0)
      """
    return StoreStatement(
      // In a query with a maximum, SQLite takes the other columns from the row of the maximum.
      sqlite: """
        SELECT max(seq), kind, message_id, payload, ts FROM events \(condition)
        GROUP BY message_id ORDER BY 1 LIMIT ?5
        """,
      postgreSQL: """
        SELECT * FROM (
          SELECT DISTINCT ON (message_id) seq, kind, message_id, payload, ts FROM events
          \(condition) ORDER BY message_id, seq DESC) AS updates
        ORDER BY 1 LIMIT ?5
        """)
  }

  /// The time of the last event up to `seq`.
  private func timestamp(_ channelID: Int64, upTo seq: Int64) throws -> Int64? {
    try connection.first(
      """
      SELECT ts FROM (
        SELECT * FROM (SELECT seq, ts FROM events
          WHERE channel_id = ?1 AND seq <= ?2 ORDER BY seq DESC LIMIT 1) AS events
        UNION ALL
        SELECT * FROM (
          SELECT seq, created_at AS ts FROM messages \(.index("messages_by_seq"))
          WHERE channel_id = ?1 AND seq <= ?2 ORDER BY seq DESC LIMIT 1) AS messages
      ) AS both_kinds ORDER BY seq DESC LIMIT 1
      """, [channelID, seq]
    ) { $0[0] as Int64 }
  }

  /// A lower bound of the size of the events after `seq`: of a message's updates only the last counts.
  private func eventByteCount(_ channelID: Int64, after seq: Int64) throws -> Int64 {
    let size: StoreStatement = """
      \(.byteCount("text")) + \(.byteCount("data")) + coalesce(length(metaarray), 0)
        + coalesce(length(og_tag), 0) + coalesce(length(translations), 0)
      """
    let received = try connection.first(
      """
      SELECT coalesce(sum(\(size)), 0) FROM messages \(.index("messages_by_seq"))
      WHERE channel_id = ? AND seq > ?
      """, [channelID, seq]
    ) { $0[0] as Int64 }
    let updated = try connection.first(
      """
      SELECT coalesce(sum(\(size)), 0) FROM messages WHERE message_id IN (
        SELECT message_id FROM events WHERE channel_id = ? AND seq > ? AND kind = ?)
      """, [channelID, seq, EventName.messageUpdated.rawValue]
    ) { $0[0] as Int64 }
    let others = try connection.first(
      """
      SELECT coalesce(sum(length(payload)), 0) FROM events
      WHERE channel_id = ? AND seq > ? AND kind <> ?
      """, [channelID, seq, EventName.messageDeleted.rawValue]
    ) { $0[0] as Int64 }
    return (received ?? 0) + (updated ?? 0) + (others ?? 0)
  }

  /// The events with the messages that were updated; updates of deleted messages are left out.
  private func withMessages(
    _ events: [LoggedEvent], channelID: Int64
  ) throws -> [DurableEvent] {
    let updates = events.filter { $0.name == .messageUpdated }
    let updated = try messages(updates.compactMap(\.messageID), channelID: channelID)
    return events.compactMap { DurableEvent($0) { updated[$0] } }
  }
}

extension LoggedEvent {
  /// From `seq, kind, message_id, payload, ts`.
  fileprivate init(row: StoreRow) throws {
    guard let name = EventName(rawValue: row[1]) else {
      throw StoreError.damaged(path: "the table events", reason: "an unknown kind of event")
    }
    let (messageID, payload): (Int64?, String?) = (row[2], row[3])
    guard let messageID else {
      self.init(name: name, payload: payload, seq: row[0], timestamp: row[4])
      return
    }
    self.init(name: name, messageID: messageID, seq: row[0], timestamp: row[4])
    guard name == .messageDeleted, let payload else { return }
    deletion = try StoredJSON.decode(StoredDeletion.self, from: payload).event(
      ofMessage: messageID)
  }
}

extension WriteTransaction {
  /// Records an event under the channel's next `seq`, and adds it to the outbox.
  ///
  /// - Parameter note: Data stored beside an event about a message, which has no payload.
  func record(
    _ event: Event, channelID: Int64, at timestamp: Int64, noting note: String? = nil
  ) throws -> LoggedEvent {
    let seq = try nextSeq(channelID)
    guard let logged = LoggedEvent(event, seq: seq, timestamp: timestamp) else {
      preconditionFailure("\(event.name.rawValue) has no number")
    }
    let payload = logged.payload ?? note
    try connection.execute(
      """
      INSERT INTO events (channel_id, seq, kind, message_id, payload, ts) VALUES (?, ?, ?, ?, ?, ?)
      """, [channelID, seq, logged.name.rawValue, logged.messageID, payload, timestamp])
    if seq.isMultiple(of: EventLog.pruningInterval) {
      try pruneEvents(channelID, before: seq)
      try pruneChanges(ofMessagesIn: channelID, at: timestamp)
    }
    try queue(event, ofChannel: channelID, seq: seq, at: timestamp)
    return logged
  }

  /// Records events about a channel or its users under the next numbers, in few statements, and adds
  /// them to the outbox.
  ///
  /// An invitation may bring a hundred events, while all messages of the deployment wait.
  ///
  /// - Parameter events: At least one.
  /// - Returns: The number of the first.
  func record(
    _ events: [Event], of channel: Channel, _ channelID: Int64, at timestamp: Int64
  ) throws -> Int64 {
    let first = try nextSeq(channelID, count: Int64(events.count))
    var rest = events[...]
    while let name = rest.first?.name {
      let run = rest.prefix { $0.name == name }
      let seq = first + Int64(run.startIndex)
      let payloads = run.map { LoggedEvent($0, seq: seq, timestamp: timestamp)?.payload ?? "{}" }
      try connection.execute(
        Self.insertionOfRun,
        [channelID, seq, name.rawValue, timestamp, StoreValue.texts(payloads)])
      rest = rest[run.endIndex...]
    }
    let last = first + Int64(events.count) - 1
    let interval = EventLog.pruningInterval
    if last / interval > (first - 1) / interval { try pruneEvents(channelID, before: last) }
    guard !channel.isEphemeral else { return first }
    for (index, event) in events.enumerated() {
      try queue(
        event,
        from: EventOrigin(
          channelURL: channel.url, seq: first + Int64(index), timestamp: timestamp))
    }
    return first
  }

  /// Inserts events of one kind under consecutive numbers.
  private static let insertionOfRun = StoreStatement(
    sqlite: """
      INSERT INTO events (channel_id, seq, kind, ts, payload)
      SELECT ?1, ?2 + key, ?3, ?4, value FROM json_each(?5)
      """,
    postgreSQL: """
      INSERT INTO events (channel_id, seq, kind, ts, payload)
      SELECT ?1, ?2 + number - 1, ?3, ?4, payload
      FROM unnest(?5::text[]) WITH ORDINALITY AS run (payload, number)
      """)

  /// The channel as it appears in events.
  func info(_ channel: Channel) -> ChannelInfo {
    ChannelInfo(
      channel, participantCount: connection.outbox?.participantCount(of: channel.url) ?? 0)
  }

  /// Takes the next numbers of a channel.
  ///
  /// - Returns: The first of them.
  private func nextSeq(_ channelID: Int64, count: Int64 = 1) throws -> Int64 {
    let last = try connection.first(
      "SELECT last_seq FROM channels WHERE channel_id = ? \(.forUpdate)", [channelID]
    ) { $0[0] as Int64 }
    guard let last else { throw StoreError.notFound(.channel) }
    try connection.execute(
      "UPDATE channels SET last_seq = ?, changed_at = \(.nextChange) WHERE channel_id = ?",
      [last + count, channelID])
    return last + 1
  }

  private func pruneEvents(_ channelID: Int64, before seq: Int64) throws {
    try connection.execute(
      "DELETE FROM events WHERE channel_id = ? AND seq <= ?", [channelID, seq - EventLog.reach])
  }
}

extension EventLog {
  /// Every event whose `seq` is a multiple of this removes old events; a prime, so that no regular
  /// pattern of messages and events keeps missing it.
  static let pruningInterval: Int64 = 31
}
