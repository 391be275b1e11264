import ParleyProtocol

/// The maximum number and size of events that are read at a time.
package enum OutboxBatch {
  package static let eventCount = 100
  package static let byteCount = 262_144
}

extension StoreTransaction {
  /// The first events of a range, in order: at most 100, and at most 256 KiB unless a single event is
  /// larger.
  func webhookEvents(in stretch: OutboxStretch) throws -> [OutboxEvent] {
    let rows = try connection.scan(
      """
      SELECT event_id, ts, body, trace FROM webhook_events
      WHERE channel_url = ? AND event_id > ? AND event_id <= ? ORDER BY event_id LIMIT ?
      """, [stretch.channelURL, stretch.after, stretch.through, OutboxBatch.eventCount])
    var events: [OutboxEvent] = []
    var byteCount = 0
    while let row = try rows.next() {
      let event = OutboxEvent(
        id: row[0], timestamp: row[1], body: Array((row[2] as String).utf8),
        trace: (row[3] as String?).flatMap { CallTrace(text: $0) })
      byteCount += event.body.count
      if !events.isEmpty, byteCount > OutboxBatch.byteCount { break }
      events.append(event)
    }
    return events
  }

  /// The number of events waiting for a URL; reads all of them.
  func webhookBacklog(receiverID: Int64) throws -> Int {
    try connection.first(
      """
      SELECT count(*) FROM webhook_events AS e
      JOIN webhook_receivers AS r ON r.receiver_id = ?
      LEFT JOIN webhook_cursors AS c
        ON c.receiver_id = r.receiver_id AND c.channel_url = e.channel_url
      WHERE e.event_id > \(.greater("r.since", "coalesce(c.event_id, 0)"))
      """, [receiverID]
    ) { $0[0] as Int } ?? 0
  }

  /// The contents of the outbox; scans a whole index.
  func webhookContents(for receivers: [OutboxReceiver]) throws -> OutboxContents {
    OutboxContents(
      receivers: receivers, backlog: try receivers.flatMap { try backlog($0.id) },
      eventCount: try connection.first("SELECT count(*) FROM webhook_events", []) { $0[0] } ?? 0,
      oldest: try oldestWebhookEvent())
  }

  /// The time of the oldest event in the outbox.
  func oldestWebhookEvent() throws -> Int64? {
    try connection.first("SELECT ts FROM webhook_events ORDER BY event_id LIMIT 1", []) { $0[0] }
  }

  private func backlog(_ receiverID: Int64) throws -> [OutboxBacklog] {
    let cursor = StoreStatement.greater("r.since", "coalesce(c.event_id, 0)")
    return try connection.all(
      """
      SELECT e.channel_url, \(cursor) AS cursor, e.last FROM
        (SELECT channel_url, max(event_id) AS last FROM webhook_events GROUP BY channel_url) AS e
      JOIN webhook_receivers AS r ON r.receiver_id = ?
      LEFT JOIN webhook_cursors AS c
        ON c.receiver_id = r.receiver_id AND c.channel_url = e.channel_url
      WHERE e.last > \(cursor) ORDER BY 2
      """, [receiverID]
    ) {
      OutboxBacklog(
        receiverID: receiverID, channelURL: $0[0], cursor: $0[1], lastEventID: $0[2])
    }
  }
}
