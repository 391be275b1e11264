import SQLite

/// The languages that on-demand calls added to a message, which are replaced by others when needed.
enum LanguagesSchema {
  static func create(_ database: Database) throws { try database.execute(script: script) }

  /// The same in both databases.
  static let script = "ALTER TABLE messages ADD COLUMN languages_on_demand TEXT;"
}
