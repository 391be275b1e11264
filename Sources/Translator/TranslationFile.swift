import Basics
import Crypto
import Glibc
import Reactor
import SQLite
import Translation

/// Translations on disk, in a cache that may be deleted at any time, and the usage of the daily budget.
///
/// Texts are identified by a digest. Calls block on the disk; confined to one thread.
final class TranslationFile {
  private static let version = 1
  private static let pageSize = 4_096

  private let database: Database
  private let engine: String
  private let maximumPages: Int
  private(set) var rowCount: Int

  /// Opens the file; rebuilds it if it is damaged or of another version.
  ///
  /// - Parameter engine: The engine with everything that its translations depend on.
  static func open(_ path: String, engine: String, maximumBytes: Int) throws -> TranslationFile {
    do {
      return try TranslationFile(path, engine: engine, maximumBytes: maximumBytes)
    } catch let error where isDamage(error) {
      remove(path)
      return try TranslationFile(path, engine: engine, maximumBytes: maximumBytes)
    }
  }

  /// Returns whether a new file would fix an error.
  private static func isDamage(_ error: any Error) -> Bool {
    if error is Mismatch { return true }
    guard let error = error as? DatabaseError else { return false }
    // A plain error means that the tables are not as expected.
    return [.corrupt, .notDatabase, .error, .format].contains(error.code)
  }

  /// Deletes the file with SQLite's companion files.
  static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { _ = unlink(path + suffix) }
  }

  private struct Mismatch: Error {}

  private init(_ path: String, engine: String, maximumBytes: Int) throws {
    PrivateFile.prepareDatabase(path)
    self.engine = engine
    maximumPages = max(64, maximumBytes / 4 * 3 / Self.pageSize)
    database = try Database(path: path)
    // Writes do not wait for the disk, which messages wait for; a machine crash may destroy the
    // file.
    try database.execute(
      script: """
        PRAGMA page_size = \(Self.pageSize);
        PRAGMA auto_vacuum = INCREMENTAL;
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = OFF;
        PRAGMA wal_autocheckpoint = 64;
        PRAGMA journal_size_limit = 1048576;
        """)
    let version = try database.number("PRAGMA user_version")
    if version == 0 {
      try database.execute(script: Self.tables)
    } else if version != Self.version {
      database.close()
      throw Mismatch()
    }
    rowCount = try database.number("SELECT count(*) FROM translation")
  }

  private static let tables = """
    CREATE TABLE translation (
      key BLOB PRIMARY KEY, text TEXT, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX translation_expires_at ON translation (expires_at);
    CREATE TABLE usage (id INTEGER PRIMARY KEY, day INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
    PRAGMA user_version = \(version);
    """

  /// Bytes of the file, without its write-ahead log.
  var byteCount: Int { ((try? database.number("PRAGMA page_count")) ?? 0) * Self.pageSize }

  /// Returns the outcome of a text, with its expiry time.
  func find(_ text: TranslationText, at now: Int64) throws -> (TranslatorState.Entry, Int64)? {
    let rows = try database.rows(
      "SELECT text, expires_at FROM translation WHERE key = ? AND expires_at > ?", [key(text), now])
    guard let row = try rows.next() else { return nil }
    return (row.isNull(0) ? .same : .text(row.text(0)), row.integer(1))
  }

  func store(
    _ text: TranslationText, _ entry: TranslatorState.Entry, until end: Int64, at now: Int64
  ) throws {
    let key = key(text)
    // One transaction with one commit: almost every insertion also deletes old rows.
    rowCount = try database.inTransaction {
      let known: Int64? = try database.value("SELECT 1 FROM translation WHERE key = ?", [key])
      try database.execute(
        "INSERT OR REPLACE INTO translation VALUES (?, ?, ?)", [key, entry.text, end])
      return rowCount + (known == nil ? 1 : 0) - (try trim(at: now))
    }
  }

  func readUsage() throws -> DailyBudget {
    let rows = try database.rows("SELECT day, used FROM usage WHERE id = 1")
    guard let row = try rows.next() else { return DailyBudget() }
    return DailyBudget(day: row.integer(0), used: row.integer(1))
  }

  func store(_ usage: DailyBudget) throws {
    try database.execute(
      "INSERT OR REPLACE INTO usage VALUES (1, ?, ?)", [usage.day, usage.used])
  }

  func close() { database.close() }

  /// Removes expired rows, and the oldest ones beyond the limit.
  ///
  /// - Returns: The number of rows removed.
  private func trim(at now: Int64) throws -> Int {
    try database.execute(
      """
      DELETE FROM translation WHERE key IN
      (SELECT key FROM translation WHERE expires_at <= ? ORDER BY expires_at LIMIT 64)
      """, [now])
    var removed = database.changesCount
    for _ in 0..<64 {
      let used =
        try database.number("PRAGMA page_count") - database.number("PRAGMA freelist_count")
      guard used > maximumPages else { break }
      try database.execute(
        """
        DELETE FROM translation WHERE key IN
        (SELECT key FROM translation ORDER BY expires_at LIMIT 64)
        """)
      removed += database.changesCount
      try database.execute("PRAGMA incremental_vacuum(256)")
    }
    return removed
  }

  private func key(_ text: TranslationText) -> [UInt8] {
    let digest = RunningDigest(.sha256)
    // Only the last part may contain a line break.
    digest.add(Array("\(engine)\n\(text.code)\n\(text.text)".utf8))
    return digest.end()
  }
}
