import SQLite

/// Whether a group is a super group.
enum SuperGroupsSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(flag: "INTEGER"))
  }

  static let postgreSQL = script(flag: "smallint")

  private static func script(flag: String) -> String {
    "ALTER TABLE groups ADD COLUMN is_super \(flag) NOT NULL DEFAULT 0;"
  }
}
