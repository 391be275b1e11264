import ParleyProtocol

/// A row of the outbox: an event waiting for webhooks.
struct OutboxRow {
  let origin: EventOrigin
  let name: EventName
  /// The event's JSON.
  let body: [UInt8]
  /// The trace of the call that caused the event.
  let trace: CallTrace?

  static let insertion = StoreStatement(
    sqlite: """
      INSERT INTO webhook_events (channel_url, kind, seq, ts, body, trace) VALUES (?, ?, ?, ?, ?, ?)
      """,
    postgreSQL: """
      INSERT INTO webhook_events (channel_url, kind, seq, ts, body, trace, lane)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)

  /// The column that numbers the rows.
  static let number = "event_id"

  /// The values of ``insertion`` in a database.
  func values(for session: any StoreSession) -> StoreArguments {
    var values: StoreArguments = [
      origin.channelURL, name.rawValue, origin.seq ?? 0, origin.timestamp,
      String(decoding: body, as: UTF8.self), trace?.text,
    ]
    if session.hasLanes { values.append(OutboxLane(ofChannel: origin.channelURL).number) }
    return values
  }

  func arrival(numbered eventID: Int64) -> OutboxArrival {
    OutboxArrival(
      channelURL: origin.channelURL, eventID: eventID, timestamp: origin.timestamp)
  }
}
