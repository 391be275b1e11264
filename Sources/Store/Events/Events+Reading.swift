import GRDB
import ParleyProtocol

extension StoreTransaction {
  /// The events of a channel after `seq`, in order; messages deleted since are left out.
  ///
  /// - Parameters:
  ///   - channelID: The store's own number of the channel.
  ///   - seq: The last event that is not wanted.
  ///   - limit: Most `seq`s to go back, at most 1,000.
  ///   - byteLimit: Most bytes that the events may hold; they are added up before any is read.
  /// - Returns: `nil` when more are missing, or when the channel's count never was at `seq`.
  /// - Throws: `StoreError.notFound(.channel)`.
  package func events(
    channelID: Int64, after seq: Int64, limit: Int64 = 300, byteLimit: Int64 = .max
  ) throws -> [DurableEvent]? {
    let lastSeq = try connection.first(
      "SELECT last_seq FROM channels WHERE channel_id = ?", [channelID]
    ) { $0[0] as Int64 }
    guard let lastSeq else { throw StoreError.notFound(.channel) }
    guard seq >= 0, seq <= lastSeq, lastSeq - seq <= min(limit, 1_000) else { return nil }
    if byteLimit < .max, try eventByteCount(channelID, after: seq) > byteLimit { return nil }
    let received = try storedMessages(
      .seq, "channel_id = ? AND seq > ? ORDER BY seq", [channelID, seq], channelID: channelID
    ).map { DurableEvent.received($0.message, seq: $0.seq) }
    return (received + (try recordedEvents(channelID, after: seq))).sorted { $0.seq < $1.seq }
  }

  /// What the events after `seq` hold at the least: a message counts once for each of its updates.
  private func eventByteCount(_ channelID: Int64, after seq: Int64) throws -> Int64 {
    let size = """
      length(CAST(text AS BLOB)) + length(CAST(data AS BLOB)) + coalesce(length(metaarray), 0)
        + coalesce(length(og_tag), 0) + coalesce(length(translations), 0)
      """
    let received = try connection.first(
      """
      SELECT coalesce(sum(\(size)), 0) FROM messages INDEXED BY messages_by_seq
      WHERE channel_id = ? AND seq > ?
      """, [channelID, seq]
    ) { $0[0] as Int64 }
    let updated = try connection.first(
      """
      SELECT coalesce(sum(\(size)), 0)
      FROM events CROSS JOIN messages ON messages.message_id = events.message_id
      WHERE events.channel_id = ? AND events.seq > ? AND kind = ?
      """, [channelID, seq, EventKind.messageUpdated.rawValue]
    ) { $0[0] as Int64 }
    let others = try connection.first(
      "SELECT coalesce(sum(length(payload)), 0) FROM events WHERE channel_id = ? AND seq > ?",
      [channelID, seq]
    ) { $0[0] as Int64 }
    return (received ?? 0) + (updated ?? 0) + (others ?? 0)
  }

  private func recordedEvents(_ channelID: Int64, after seq: Int64) throws -> [DurableEvent] {
    let rows = try connection.all(
      """
      SELECT seq, kind, message_id, payload, ts FROM events WHERE channel_id = ? AND seq > ?
      """, [channelID, seq], EventRow.init(row:))
    let updated = try messages(
      rows.filter { $0.kind == .messageUpdated }.compactMap(\.messageID), channelID: channelID)
    return rows.compactMap { $0.event(updated: updated) }
  }
}

/// A row of the events table.
private struct EventRow {
  var seq: Int64
  var kind: EventKind
  var messageID: Int64?
  var payload: String?
  var timestamp: Int64

  init(row: Row) throws {
    guard let kind = EventKind(rawValue: row[1]) else {
      throw StoreError.damaged(path: "the table events", reason: "an unknown kind of event")
    }
    self.kind = kind
    seq = row[0]
    messageID = row[2]
    payload = row[3]
    timestamp = row[4]
  }

  func event(updated: [Int64: Message]) -> DurableEvent? {
    switch (kind, messageID) {
    case (.messageUpdated, let id?):
      updated[id].map { .updated($0, seq: seq, timestamp: timestamp) }
    case (.messageDeleted, let id?):
      .deleted(messageID: id, seq: seq, timestamp: timestamp)
    default:
      .channel(
        RecordedEvent(kind: kind, payload: payload ?? "{}", seq: seq, timestamp: timestamp))
    }
  }
}
