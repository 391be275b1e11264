import SQLite

/// Counts of users for a day, and an index of groups by their creators.
enum QuotasSchema {
  static func create(_ database: Database) throws {
    try database.execute(
      script: script(key: "TEXT", integer: "INTEGER", end: ") STRICT, WITHOUT ROWID"))
  }

  static let postgreSQL = script(key: "text COLLATE \"C\"", integer: "bigint", end: ")")

  /// The statements, which differ in the names of types only; `day` is in days since 1970.
  private static func script(key: String, integer: String, end: String) -> String {
    """
    CREATE TABLE user_days (
      user_id \(key) NOT NULL REFERENCES users ON DELETE CASCADE,
      day \(integer) NOT NULL,
      messages \(integer) NOT NULL,
      channels \(integer) NOT NULL,
      PRIMARY KEY (user_id, day)
    \(end);
    CREATE INDEX user_days_by_day ON user_days (day);
    CREATE INDEX groups_by_creator ON groups (creator_id) WHERE creator_id IS NOT NULL;
    """
  }
}
