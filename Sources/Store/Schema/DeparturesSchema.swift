import SQLite

/// Departures by age, so that old ones are found.
enum DeparturesSchema {
  static let script = "CREATE INDEX departures_by_age ON departures (changed_at);"

  static func create(_ database: Database) throws { try database.execute(script: script) }
}
