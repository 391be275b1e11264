import Channels
import SQLite

extension WriteTransaction {
  /// Writes an event down under the channel's next `seq`.
  ///
  /// - Parameter payload: A JSON object, see `RecordedEvent.payload`.
  /// - Throws: `StoreError.notFound(.channel)`.
  package func recordEvent(
    _ channelID: Int64, _ kind: EventKind, payload: String, at timestamp: Int64
  ) throws -> RecordedEvent {
    let seq = try insertEvent(
      channelID, kind, messageID: nil, payload: payload, at: timestamp)
    return RecordedEvent(kind: kind, payload: payload, seq: seq, timestamp: timestamp)
  }

  func recordEvent(
    _ channelID: Int64, _ kind: EventKind, _ details: EventDetails, at timestamp: Int64
  ) throws -> RecordedEvent {
    let event = try recordEvent(channelID, kind, payload: details.payload, at: timestamp)
    try queueEvent(event, details, channelID: channelID)
    return event
  }

  func recordEvent(
    _ channelID: Int64, _ kind: EventKind, messageID: Int64, at timestamp: Int64
  ) throws -> Int64 {
    try insertEvent(channelID, kind, messageID: messageID, payload: nil, at: timestamp)
  }

  private func insertEvent(
    _ channelID: Int64, _ kind: EventKind, messageID: Int64?, payload: String?,
    at timestamp: Int64
  ) throws -> Int64 {
    let seq = try nextSeq(channelID)
    try connection.execute(
      """
      INSERT INTO events (channel_id, seq, kind, message_id, payload, ts) VALUES (?, ?, ?, ?, ?, ?)
      """, [channelID, seq, kind.rawValue, messageID, payload, timestamp])
    if seq.isMultiple(of: EventLog.pruningInterval) { try pruneEvents(channelID, before: seq) }
    return seq
  }

  private func nextSeq(_ channelID: Int64) throws -> Int64 {
    let last = try connection.first(
      "SELECT last_seq FROM channels WHERE channel_id = ?", [channelID]
    ) { $0[0] as Int64 }
    guard let last else { throw StoreError.notFound(.channel) }
    let seq = last + 1
    try connection.execute(
      "UPDATE channels SET last_seq = ? WHERE channel_id = ?", [seq, channelID])
    return seq
  }

  private func pruneEvents(_ channelID: Int64, before seq: Int64) throws {
    try connection.execute(
      "DELETE FROM events WHERE channel_id = ? AND seq <= ?", [channelID, seq - EventLog.reach])
  }
}

extension EventLog {
  /// Events this many `seq`s apart remove the old ones; a prime, so that no rhythm of messages and
  /// events keeps missing it.
  static let pruningInterval: Int64 = 31
}
