import SQLite

/// Whether users keep to themselves how far they have read groups.
enum PrivateReadsSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(flag: "INTEGER"))
  }

  static let postgreSQL = script(flag: "smallint")

  private static func script(flag: String) -> String {
    "ALTER TABLE users ADD COLUMN hides_reads \(flag) NOT NULL DEFAULT 0;"
  }
}
