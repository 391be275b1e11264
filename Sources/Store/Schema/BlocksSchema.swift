import SQLite

/// The users whom each user blocks.
enum BlocksSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(key: "TEXT", end: ") STRICT, WITHOUT ROWID"))
  }

  static let postgreSQL = script(key: "text COLLATE \"C\"", end: ")")

  /// The statements, which differ in the names of types only.
  private static func script(key: String, end: String) -> String {
    """
    CREATE TABLE blocks (
      user_id \(key) NOT NULL REFERENCES users ON DELETE CASCADE,
      blocked_id \(key) NOT NULL REFERENCES users ON DELETE CASCADE,
      PRIMARY KEY (user_id, blocked_id)
    \(end);
    CREATE INDEX blocks_by_blocked ON blocks (blocked_id, user_id);
    """
  }
}
