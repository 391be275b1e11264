import GRDB
import LinkPreview
import ParleyProtocol

/// The previews on disk: a cache of its own, that may be deleted at any time.
///
/// All reading and writing happens on the database's own queue, never on a reactor.
final class PreviewFile: Sendable {
  private let database: DatabaseQueue
  private let maximumRows: Int

  /// - Throws: What SQLite says when the file cannot be opened or is no database.
  init(path: String, maximumRows: Int) throws {
    var configuration = Configuration()
    configuration.label = "previews"
    // A lost write costs one fetch; waiting for the disk would cost more.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    configuration.journalMode = .wal
    database = try DatabaseQueue(path: path, configuration: configuration)
    self.maximumRows = maximumRows
    try database.write { try $0.execute(sql: Self.schema) }
  }

  private static let schema = """
    CREATE TABLE IF NOT EXISTS preview (
      link TEXT PRIMARY KEY NOT NULL,
      expires_at INTEGER NOT NULL,
      is_found INTEGER NOT NULL,
      title TEXT, url TEXT, description TEXT,
      has_image INTEGER NOT NULL,
      image_url TEXT, image_secure_url TEXT, image_type TEXT,
      image_width INTEGER NOT NULL, image_height INTEGER NOT NULL, image_alt TEXT
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS preview_expires_at ON preview (expires_at);
    """

  /// The entries that are good beyond `now`, those that last longest first.
  func loadFresh(at now: Int64, limit: Int) throws -> [(Link, CachedPreview)] {
    try database.write { database in
      try Self.purge(database, at: now, maximumRows: maximumRows)
      let rows = try Row.fetchCursor(
        database, sql: "SELECT * FROM preview ORDER BY expires_at DESC LIMIT ?", arguments: [limit])
      var entries: [(Link, CachedPreview)] = []
      while let row = try rows.next() {
        if let link = Link(row["link"] as String) { entries.append((link, CachedPreview(row))) }
      }
      return entries
    }
  }

  /// Looks for an entry and answers on the database's queue.
  func find(
    _ link: Link, at now: Int64,
    completion: @escaping @Sendable (Result<CachedPreview?, any Error>) -> Void
  ) {
    database.asyncRead { database in
      completion(
        Result {
          try Row.fetchOne(
            database.get(), sql: "SELECT * FROM preview WHERE link = ? AND expires_at > ?",
            arguments: [link.url, now]
          ).map(CachedPreview.init)
        })
    }
  }

  /// Stores an entry when the queue gets to it; `failed` is called there if it cannot be.
  func insert(
    _ preview: CachedPreview, for link: Link, failed: @escaping @Sendable (any Error) -> Void
  ) {
    database.asyncWriteWithoutTransaction { database in
      do {
        try preview.insert(for: link, into: database)
      } catch {
        failed(error)
      }
    }
  }

  /// Removes what has expired, and the soonest to expire beyond the file's bound.
  func purge(at now: Int64, failed: @escaping @Sendable (any Error) -> Void) {
    database.asyncWriteWithoutTransaction { [maximumRows] database in
      do {
        try Self.purge(database, at: now, maximumRows: maximumRows)
      } catch {
        failed(error)
      }
    }
  }

  private static func purge(_ database: Database, at now: Int64, maximumRows: Int) throws {
    try database.execute(sql: "DELETE FROM preview WHERE expires_at <= ?", arguments: [now])
    try database.execute(
      sql: """
        DELETE FROM preview WHERE link IN (
          SELECT link FROM preview ORDER BY expires_at DESC LIMIT -1 OFFSET ?)
        """, arguments: [maximumRows])
  }

  /// Waits for what was asked and closes the file.
  func close() throws { try database.close() }
}
