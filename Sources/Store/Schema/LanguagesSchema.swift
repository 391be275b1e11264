import SQLite

/// The languages of a message that calls on demand have added, which give way to others.
enum LanguagesSchema {
  static func create(_ database: Database) throws { try database.execute(script: script) }

  /// The same in both databases.
  static let script = "ALTER TABLE messages ADD COLUMN languages_on_demand TEXT;"
}
