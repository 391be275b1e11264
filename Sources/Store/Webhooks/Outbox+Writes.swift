import ParleyProtocol

/// Adds events to the outbox, each with the change that it reports.
extension WriteTransaction {
  /// Adds an event to the outbox, if webhooks want it.
  func queue(_ event: Event, from origin: EventOrigin) throws {
    guard wants(event.name) else { return }
    try queue(event.name, from: origin, body: event.webhookEvent(from: origin))
  }

  /// Adds a recorded event to the outbox, unless its channel is ephemeral: the judge of such a channel
  /// numbers and posts its events, since their count is kept in memory.
  func queue(
    _ event: Event, ofChannel channelID: Int64, seq: Int64, at timestamp: Int64
  ) throws {
    guard wants(event.name) else { return }
    let url = try connection.first(
      "SELECT url FROM channels WHERE channel_id = ? AND is_ephemeral = 0", [channelID]
    ) { $0[0] as String }
    guard let url else { return }
    try queue(event, from: EventOrigin(channelURL: url, seq: seq, timestamp: timestamp))
  }

  /// - Parameter body: The event's JSON.
  func queue(_ name: EventName, from origin: EventOrigin, body: [UInt8]) throws {
    let row = OutboxRow(
      origin: origin, name: name, body: body, trace: connection.outbox?.trace)
    let id = try connection.insert(
      OutboxRow.insertion, row.values(for: connection.session), numbering: OutboxRow.number)
    connection.outbox?.add(row.arrival(numbered: id))
  }

  func wants(_ name: EventName) -> Bool { connection.outbox?.wants(name) ?? false }
}

/// The URLs that events are posted to.
extension WriteTransaction {
  /// Sets the URLs that events are for, and reads the events waiting for them.
  ///
  /// A new URL receives the events from now on. A removed URL is deleted, with the events that only
  /// waited for it.
  func setWebhookReceivers(_ urls: [String]) throws -> OutboxContents {
    let lost = try connection.change(
      "DELETE FROM webhook_receivers WHERE url \(.isNoneOf)", [StoreValue.texts(urls)])
    if urls.isEmpty {
      try connection.execute("DELETE FROM webhook_events")
    } else if lost > 0 {
      try removeTakenEverywhere()
    }
    if connection.session.hasLanes { try setLanes() }
    return try webhookContents(for: try urls.map(receiver))
  }

  /// Assigns the lanes of their channels to events without a lane: those copied from SQLite, and those
  /// of messages that earlier versions left in lane 0.
  private func setLanes() throws {
    let urls = try connection.all(
      "SELECT DISTINCT channel_url FROM webhook_events WHERE lane = 0", []
    ) { $0[0] as String }
    for url in urls {
      let lane = OutboxLane(ofChannel: url).number
      guard lane > 0 else { continue }
      try connection.execute(
        "UPDATE webhook_events SET lane = ? WHERE channel_url = ? AND lane = 0", [lane, url])
    }
  }

  private func receiver(_ url: String) throws -> OutboxReceiver {
    try connection.execute(
      """
      INSERT INTO webhook_receivers (url, since) VALUES
        (?, \(Self.lastEventID))
      ON CONFLICT (url) DO NOTHING
      """, [url])
    let id = try connection.first(
      "SELECT receiver_id FROM webhook_receivers WHERE url = ?", [url]
    ) { $0[0] as Int64 }
    return OutboxReceiver(id: id ?? 0, url: url)
  }

  /// The last number assigned to an event, whether the event still exists or not.
  private static let lastEventID = StoreStatement(
    sqlite: "coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'webhook_events'), 0)",
    postgreSQL: """
      (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM webhook_events_event_id_seq)
      """)

  private func removeTakenEverywhere() throws {
    let urls = try connection.all("SELECT DISTINCT channel_url FROM webhook_events", []) {
      $0[0] as String
    }
    for url in urls { _ = try removeTaken(in: url) }
  }
}

/// The progress of the URLs, and the removal of events received by all of them.
extension WriteTransaction {
  /// Records the progress of URLs, and removes the events that all of them have received.
  func advanceWebhooks(_ advances: [OutboxAdvance]) throws -> OutboxRemoval {
    for advance in advances {
      try connection.execute(
        """
        INSERT INTO webhook_cursors (receiver_id, channel_url, event_id)
        SELECT receiver_id, ?2, ?3 FROM webhook_receivers WHERE receiver_id = ?1
        ON CONFLICT (receiver_id, channel_url)
        DO UPDATE SET event_id = excluded.event_id WHERE webhook_cursors.event_id < excluded.event_id
        """, [advance.receiverID, advance.channelURL, advance.eventID])
    }
    let count = try Set(advances.map(\.channelURL)).reduce(0) { $0 + (try removeTaken(in: $1)) }
    return OutboxRemoval(count: count, oldest: try oldestWebhookEvent())
  }

  /// Discards a channel's events for a URL that are older than a time.
  ///
  /// - Returns: The number of discarded events, and the last of them; `nil` for none.
  func expireWebhookEvents(
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

  /// Removes the oldest events of a share, received or not.
  func dropOldestWebhookEvents(
    _ count: Int, in share: OutboxShare = .everything
  ) throws -> OutboxRemoval {
    let (condition, values): (StoreStatement, StoreArguments) =
      switch share {
      case .everything: ("TRUE", [])
      case .lanes(let holds):
        ("lane \(.isAnyOf)", [StoreValue.integers(holds.map { Int64($0.lane.number) })])
      }
    let count = try connection.change(
      """
      DELETE FROM webhook_events WHERE event_id IN
        (SELECT event_id FROM webhook_events WHERE \(condition) ORDER BY event_id LIMIT ?)
      """, values + [count])
    return OutboxRemoval(count: count, oldest: try oldestWebhookEvent())
  }

  /// Removes the events of a channel that all URLs have received.
  ///
  /// - Returns: The number of removed events.
  func removeTaken(in channelURL: String) throws -> Int {
    let count = try connection.change(
      """
      DELETE FROM webhook_events WHERE channel_url = ?1 AND event_id <=
        (SELECT min(\(.greater("r.since", "coalesce(c.event_id, 0)"))) FROM webhook_receivers AS r
         LEFT JOIN webhook_cursors AS c
           ON c.receiver_id = r.receiver_id AND c.channel_url = ?1)
      """, [channelURL])
    // Numbers are never reused, so a cursor in a channel without events is meaningless.
    try connection.execute(
      """
      DELETE FROM webhook_cursors WHERE channel_url = ?1
        AND NOT EXISTS (SELECT 1 FROM webhook_events WHERE channel_url = ?1)
      """, [channelURL])
    return count
  }
}
