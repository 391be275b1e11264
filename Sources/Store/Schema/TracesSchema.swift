import SQLite

/// The traces of the calls that caused events for webhooks.
enum TracesSchema {
  static func create(_ database: Database) throws { try database.execute(script: script) }

  /// The same in both databases; `trace` is `CallTrace.text`.
  static let script = "ALTER TABLE webhook_events ADD COLUMN trace TEXT;"
}
