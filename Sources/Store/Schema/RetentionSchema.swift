import SQLite

/// The channels' own retention: the age in seconds at which messages are removed, if one is set, and whether a
/// legal hold keeps all.
enum RetentionSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(number: "INTEGER", truth: "INTEGER"))
  }

  static let postgreSQL = script(number: "bigint", truth: "smallint")

  /// The statements, which differ in the names of types only.
  private static func script(number: String, truth: String) -> String {
    """
    ALTER TABLE channels ADD COLUMN survival_seconds \(number);
    ALTER TABLE channels ADD COLUMN is_held \(truth) NOT NULL DEFAULT 0;
    CREATE INDEX channels_with_survival ON channels (channel_id) WHERE survival_seconds IS NOT NULL;
    CREATE INDEX channels_held ON channels (channel_id) WHERE is_held = 1;
    """
  }
}
