import SQLite

/// The word filters of the deployment and of custom types; the words are a JSON list.
enum WordFiltersSchema {
  static func create(_ database: Database) throws {
    try database.execute(script: script(text: "TEXT", number: "INTEGER", end: ") STRICT"))
  }

  static let postgreSQL = script(text: "text COLLATE \"C\"", number: "bigint", end: ")")

  /// The statements, which differ in the names of types only.
  private static func script(text: String, number: String, end: String) -> String {
    """
    CREATE TABLE word_filters (
      scope \(text) NOT NULL,
      name \(text) NOT NULL,
      kind \(number) NOT NULL,
      words \(text) NOT NULL,
      PRIMARY KEY (scope, name)
    \(end);
    """
  }
}
