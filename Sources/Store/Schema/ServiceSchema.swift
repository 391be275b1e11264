import SQLite

/// What belongs to no channel: limits by custom type, counters of the deployment, the probe.
enum ServiceSchema {
  static func create(_ database: Database) throws {
    try database.execute(
      script: """
        CREATE TABLE limits (
          scope TEXT NOT NULL,
          name TEXT NOT NULL,
          kind TEXT NOT NULL,
          messages INTEGER NOT NULL,
          window_ms INTEGER NOT NULL,
          PRIMARY KEY (scope, name, kind)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE meta (
          key TEXT NOT NULL PRIMARY KEY,
          value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE probe (
          id INTEGER PRIMARY KEY,
          body BLOB NOT NULL
        ) STRICT;
        """)
  }
}
