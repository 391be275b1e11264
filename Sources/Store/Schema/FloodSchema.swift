import SQLite

/// A mark on messages that took no place in the flood window of their user, which is left out when the
/// window is read after a restart or by another server.
enum FloodSchema {
  static func create(_ database: Database) throws {
    try database.execute(
      script: "ALTER TABLE messages ADD COLUMN flood_exempt INTEGER NOT NULL DEFAULT 0")
  }

  /// The same in PostgreSQL.
  static let postgreSQL =
    "ALTER TABLE messages ADD COLUMN flood_exempt smallint NOT NULL DEFAULT 0;"
}
