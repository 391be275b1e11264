import SQLite

/// The form of the file.
enum PreviewFileSchema {
  /// The file is of another version, or somebody else's.
  struct Mismatch: Error, CustomStringConvertible {
    let version: Int
    var description: String { "its schema has version \(version), not \(current)" }
  }

  /// Kept as `user_version`; the first one had none.
  static let current = 2

  /// A new file gets its tables.
  ///
  /// - Throws: ``Mismatch`` for a file of another version.
  static func prepare(_ database: Database) throws {
    let version = try database.number("PRAGMA user_version")
    if version == current { return }
    guard version == 0, try database.number("SELECT count(*) FROM sqlite_schema") == 0
    else { throw Mismatch(version: version) }
    try database.inTransaction {
      try database.execute(script: tables)
      try database.execute("PRAGMA user_version = \(current)")
    }
  }

  /// Sets a connection up, before anything is written.
  static func configure(_ database: Database, _ bounds: PreviewFileBounds) throws {
    let pages = bounds.checkpointPages
    // The size of pages and the vacuum come first: in WAL mode they can't be changed any more. Nothing
    // waits for the disk: what a crash of the machine breaks is built anew, and the disk is the one
    // that messages are waited for on.
    try database.execute(
      script: """
        PRAGMA page_size = \(PreviewFileBounds.pageSize);
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = OFF;
        PRAGMA wal_autocheckpoint = \(pages);
        PRAGMA journal_size_limit = \(pages * PreviewFileBounds.pageSize);
        PRAGMA max_page_count = \(bounds.maximumPages);
        """)
  }

  private static let tables = """
    CREATE TABLE preview (
      id INTEGER PRIMARY KEY,
      link TEXT NOT NULL UNIQUE,
      host TEXT NOT NULL,
      fetched_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      stale_until INTEGER NOT NULL,
      problem TEXT,
      is_found INTEGER NOT NULL,
      title TEXT, url TEXT, description TEXT,
      has_image INTEGER NOT NULL,
      image_url TEXT, image_secure_url TEXT, image_type TEXT,
      image_width INTEGER NOT NULL, image_height INTEGER NOT NULL, image_alt TEXT
    ) STRICT;
    CREATE INDEX preview_stale_until ON preview (stale_until);
    CREATE INDEX preview_host ON preview (host);
    """
}
