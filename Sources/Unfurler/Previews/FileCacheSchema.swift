import LinkPreview
import ParleyProtocol
import SQLite

/// The schema of the file.
enum FileCacheSchema {
  /// The file has another version, or belongs to another program.
  struct Mismatch: Error, CustomStringConvertible {
    let version: Int
    var description: String { "its schema has version \(version), not \(current)" }
  }

  /// Stored as `user_version`; the first version stored none.
  static let current = 4

  /// Creates the tables of a new file.
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

  /// Configures a connection, before anything is written.
  static func configure(_ database: Database, _ bounds: FileCacheBounds) throws {
    let pages = bounds.checkpointPages
    // Page size and vacuum mode come first: they cannot be changed in WAL mode. Writes do not wait
    // for the disk: a file damaged by a machine crash is rebuilt, and writes of messages wait for
    // the same disk.
    try database.execute(
      script: """
        PRAGMA page_size = \(FileCacheBounds.pageSize);
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = OFF;
        PRAGMA wal_autocheckpoint = \(pages);
        PRAGMA journal_size_limit = \(pages * FileCacheBounds.pageSize);
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
      problem_kind TEXT,
      site_name TEXT,
      is_found INTEGER NOT NULL,
      title TEXT, url TEXT, description TEXT,
      has_image INTEGER NOT NULL,
      image_url TEXT, image_secure_url TEXT, image_type TEXT,
      image_width INTEGER NOT NULL, image_height INTEGER NOT NULL, image_alt TEXT,
      image_origin_url TEXT
    ) STRICT;
    CREATE INDEX preview_stale_until ON preview (stale_until);
    CREATE INDEX preview_host ON preview (host);
    """
}

extension PreviewEntry {
  /// Reads the entry in a row; `nil` if the row holds none.
  init?(_ row: Row) {
    guard let link = row.text("link").flatMap({ Link($0) }),
      let fetchedAt = row.number("fetched_at"), let expiresAt = row.number("expires_at"),
      let staleUntil = row.number("stale_until")
    else { return nil }
    self.init(
      link: link, tag: row.number("is_found") == 1 ? OpenGraphTag(row) : nil,
      siteName: row.text("site_name"), problem: row.text("problem"),
      problemKind: row.text("problem_kind").flatMap(UnfurlError.Kind.init), fetchedAt: fetchedAt,
      expiresAt: expiresAt, staleUntil: staleUntil)
  }

  /// Stores the entry, replacing an earlier one for its link.
  ///
  /// - Returns: The number of rows added.
  func store(in database: Database) throws -> Int {
    try database.execute("DELETE FROM preview WHERE link = ?", [link.url])
    let growth = 1 - database.changesCount
    let image = tag?.image
    try database.execute(
      "INSERT INTO preview VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      [
        link.url, HostKey(link).text, fetchedAt, expiresAt, staleUntil, problem,
        problemKind?.rawValue, siteName, tag != nil, tag?.title, tag?.url, tag?.description,
        image != nil, image?.url, image?.secureURL, image?.type,
        image?.width ?? 0, image?.height ?? 0, image?.alt, image?.originURL,
      ])
    return growth
  }
}

extension OpenGraphTag {
  fileprivate init(_ row: Row) {
    self.init(
      title: row.text("title"), url: row.text("url"), description: row.text("description"),
      image: row.number("has_image") == 1 ? OpenGraphImage(row) : nil)
  }
}

extension OpenGraphImage {
  fileprivate init(_ row: Row) {
    self.init(
      url: row.text("image_url"), secureURL: row.text("image_secure_url"),
      type: row.text("image_type"),
      width: row.number("image_width").flatMap { Int32(exactly: $0) } ?? 0,
      height: row.number("image_height").flatMap { Int32(exactly: $0) } ?? 0,
      alt: row.text("image_alt"), originURL: row.text("image_origin_url"))
  }
}

extension Row {
  /// Returns a column's text; `nil` for any other type: the file must not crash the process.
  fileprivate func text(_ column: String) -> String? {
    if case .text(let text)? = self[named: column] { text } else { nil }
  }

  /// Returns a column's number; `nil` for any other type.
  fileprivate func number(_ column: String) -> Int64? {
    if case .integer(let number)? = self[named: column] { number } else { nil }
  }
}
