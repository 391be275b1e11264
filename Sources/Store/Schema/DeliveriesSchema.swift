import SQLite

/// How far clients of members have received their groups.
enum DeliveriesSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(integer: "INTEGER"))
  }

  static let postgreSQL = script(integer: "bigint")

  private static func script(integer: String) -> String {
    "ALTER TABLE members ADD COLUMN delivered_at \(integer) NOT NULL DEFAULT 0;"
  }
}
