import SQLite

extension WriteTransaction {
  /// Notes how far URLs have got, and removes what all of them have got.
  package func advanceWebhooks(_ advances: [OutboxAdvance]) throws -> OutboxRemoval {
    for advance in advances {
      try connection.execute(
        """
        INSERT INTO webhook_cursors (receiver_id, channel_url, event_id)
        SELECT receiver_id, ?2, ?3 FROM webhook_receivers WHERE receiver_id = ?1
        ON CONFLICT (receiver_id, channel_url)
        DO UPDATE SET event_id = max(event_id, excluded.event_id)
        """, [advance.receiverID, advance.channelURL, advance.eventID])
    }
    let count = try Set(advances.map(\.channelURL)).reduce(0) { $0 + (try removeTaken(in: $1)) }
    return OutboxRemoval(count: count, oldest: try oldestWebhookEvent())
  }

  /// Gives up a channel's events for a URL that are older than a time.
  ///
  /// - Parameter stretch: Where they are looked for.
  /// - Returns: How many were given up, and the last of them; `nil` when there are none.
  package func expireWebhookEvents(
    receiverID: Int64, in stretch: OutboxStretch, before time: Int64
  ) throws -> (count: Int, through: Int64, removal: OutboxRemoval)? {
    let found = try connection.first(
      """
      SELECT count(*), max(event_id) FROM webhook_events
      WHERE channel_url = ? AND event_id > ? AND event_id <= ? AND ts < ?
      """, [stretch.channelURL, stretch.after, stretch.through, time]
    ) { (count: $0[0] as Int, through: $0[1] as Int64?) }
    guard let found, let through = found.through else { return nil }
    let removal = try advanceWebhooks([
      OutboxAdvance(receiverID: receiverID, channelURL: stretch.channelURL, eventID: through)
    ])
    return (found.count, through, removal)
  }

  /// Removes the oldest events, whoever has not got them.
  package func dropOldestWebhookEvents(_ count: Int) throws -> OutboxRemoval {
    let count = try connection.change(
      """
      DELETE FROM webhook_events WHERE event_id IN
        (SELECT event_id FROM webhook_events ORDER BY event_id LIMIT ?)
      """, [count])
    return OutboxRemoval(count: count, oldest: try oldestWebhookEvent())
  }

  /// - Returns: How many events of the channel all URLs have got, which are removed.
  func removeTaken(in channelURL: String) throws -> Int {
    let count = try connection.change(
      """
      DELETE FROM webhook_events WHERE channel_url = ?1 AND event_id <=
        (SELECT min(max(r.since, coalesce(c.event_id, 0))) FROM webhook_receivers AS r
         LEFT JOIN webhook_cursors AS c
           ON c.receiver_id = r.receiver_id AND c.channel_url = ?1)
      """, [channelURL])
    // Numbers are never given out twice, so a cursor in a channel without events means nothing.
    try connection.execute(
      """
      DELETE FROM webhook_cursors WHERE channel_url = ?1
        AND NOT EXISTS (SELECT 1 FROM webhook_events WHERE channel_url = ?1)
      """, [channelURL])
    return count
  }
}
