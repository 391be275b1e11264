import SQLite

/// The last changes of messages, for lists of changes: one row for each message that was changed or deleted.
enum MessageChangesSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(integer: "INTEGER", end: ") STRICT, WITHOUT ROWID"))
  }

  static let postgreSQL = script(integer: "bigint", end: ")")

  /// The statements, which differ in the names of types only.
  ///
  /// `changed_at` is a number of a ``ChangeClock``, `created_at` the time of the message, and `fate` the
  /// number of a ``MessageFate``. Changes from before are not listed: no client has a token for them.
  ///
  /// No foreign key: the rows of a deleted channel are removed step by step.
  private static func script(integer: String, end: String) -> String {
    """
    CREATE TABLE message_changes (
      channel_id \(integer) NOT NULL,
      message_id \(integer) NOT NULL,
      changed_at \(integer) NOT NULL,
      created_at \(integer) NOT NULL,
      fate \(integer) NOT NULL,
      PRIMARY KEY (channel_id, message_id)
    \(end);
    CREATE INDEX message_changes_by_time ON message_changes (channel_id, changed_at, message_id);
    """
  }
}
