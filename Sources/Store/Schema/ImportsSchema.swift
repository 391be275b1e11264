import SQLite

/// The imported messages by the identifiers of the systems that they come from.
///
/// Rows outlive their messages, so that a repeated import does not bring back what was deleted. They are removed
/// with their channel, step by step.
enum ImportsSchema {
  static func create(_ database: Database) throws {
    try database.execute(
      script: script(text: "TEXT", integer: "INTEGER", end: ") STRICT, WITHOUT ROWID"))
  }

  static let postgreSQL = script(text: "text COLLATE \"C\"", integer: "bigint", end: ")")

  /// The statements, which differ in the names of types only.
  private static func script(text: String, integer: String, end: String) -> String {
    """
    CREATE TABLE imports (
      channel_id \(integer) NOT NULL,
      dedup_id \(text) NOT NULL,
      message_id \(integer) NOT NULL,
      PRIMARY KEY (channel_id, dedup_id)
    \(end);
    """
  }
}
