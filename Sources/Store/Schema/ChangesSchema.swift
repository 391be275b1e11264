import ParleyProtocol
import SQLite

/// When groups and the parts of their members last changed, and which groups users are no longer in.
enum ChangesSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(.sqlite))
  }

  static let postgreSQL = script(.postgreSQL)

  private struct Types {
    var integer: String
    /// A text that is compared as bytes.
    var key: String
    var end: String

    static let sqlite = Types(integer: "INTEGER", key: "TEXT", end: ") STRICT, WITHOUT ROWID")
    static let postgreSQL = Types(integer: "bigint", key: "text COLLATE \"C\"", end: ")")
  }

  /// The statements, which differ in the names of types only.
  ///
  /// `changed_at` is a number of a ``ChangeClock``. Groups that were there before have 0: no client has a
  /// token for them.
  ///
  /// A user who leaves a group again and again has one row: `departures` does not grow with it.
  private static func script(_ types: Types) -> String {
    """
    ALTER TABLE channels ADD COLUMN changed_at \(types.integer) NOT NULL DEFAULT 0;
    ALTER TABLE members ADD COLUMN changed_at \(types.integer) NOT NULL DEFAULT 0;
    CREATE TABLE departures (
      user_id \(types.key) NOT NULL REFERENCES users ON DELETE CASCADE,
      url \(types.key) NOT NULL,
      changed_at \(types.integer) NOT NULL,
      PRIMARY KEY (user_id, url)
    \(types.end);
    CREATE INDEX departures_by_time ON departures (user_id, changed_at);
    """
  }
}
