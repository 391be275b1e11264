import SQLite

extension WriteTransaction {
  /// Makes these URLs the ones that events are for, and reads what waits for them.
  ///
  /// A URL that is new gets what happens from now on. One that is not among them any more is
  /// forgotten, with what waited for it alone.
  package func setWebhookReceivers(_ urls: [String]) throws -> OutboxContents {
    let lost = try connection.change(
      "DELETE FROM webhook_receivers WHERE url NOT IN (SELECT value FROM json_each(?))",
      [StoredJSON.encode(urls)])
    if urls.isEmpty {
      try connection.execute("DELETE FROM webhook_events")
    } else if lost > 0 {
      try removeTakenEverywhere()
    }
    return try webhookContents(for: try urls.map(receiver))
  }

  private func receiver(_ url: String) throws -> OutboxReceiver {
    try connection.execute(
      """
      INSERT INTO webhook_receivers (url, since) VALUES
        (?, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'webhook_events'), 0))
      ON CONFLICT (url) DO NOTHING
      """, [url])
    let id = try connection.first(
      "SELECT receiver_id FROM webhook_receivers WHERE url = ?", [url]
    ) { $0[0] as Int64 }
    return OutboxReceiver(id: id ?? 0, url: url)
  }

  private func removeTakenEverywhere() throws {
    let urls = try connection.all("SELECT DISTINCT channel_url FROM webhook_events", []) {
      $0[0] as String
    }
    for url in urls { _ = try removeTaken(in: url) }
  }
}
