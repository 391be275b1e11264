import Glibc
import LinkPreview
import Reactor
import SQLite
import Synchronization

/// The previews on disk: a separate cache file that may be deleted at any time.
///
/// Calls block on the disk, so they are only made on the cache's queue.
final class FileCache: Sendable {
  let database: SharedDatabase
  let bounds: FileCacheBounds
  private let path: String
  private let rows = Atomic<Int>(0)
  private let bytes = Atomic<Int>(0)

  /// Rows in the file; may be read on any thread.
  var rowCount: Int { rows.load(ordering: .relaxed) }
  /// Bytes of the file, without its write-ahead log; may be read on any thread.
  var byteCount: Int { bytes.load(ordering: .relaxed) }

  /// Opens the file, and removes expired entries and those that exceed the bounds.
  ///
  /// - Throws: The error of SQLite, or ``FileCacheSchema/Mismatch`` for a file of another version;
  ///   ``isDamage(_:)`` reports whether a new file would help.
  init(path: String, bounds: FileCacheBounds, at now: Int64) throws {
    self.path = path
    self.bounds = bounds
    PrivateFile.prepareDatabase(path)
    database = try SharedDatabase(path: path)
    let count = try database.withDatabase {
      try FileCacheSchema.configure($0, bounds)
      try FileCacheSchema.prepare($0)
      return try $0.number("SELECT count(*) FROM preview")
    }
    rows.store(count, ordering: .relaxed)
    try trim(at: now)
    try shrink()
  }

  /// Reads unexpired entries, the longest-lived first, up to the limits of memory.
  func loadRecent(at now: Int64, _ limits: PreviewCache.Limits) throws -> [PreviewEntry] {
    try database.withDatabase { database in
      let rows = try database.rows(
        "SELECT * FROM preview WHERE stale_until > ? ORDER BY stale_until DESC LIMIT ?",
        [now, max(0, limits.maximumEntries)])
      var entries: [PreviewEntry] = []
      var room = limits.maximumBytes
      while room > 0, let row = try rows.next() {
        guard let entry = PreviewEntry(row) else { continue }
        room -= entry.byteCount
        entries.append(entry)
      }
      return entries
    }
  }

  /// Returns the entry for a link if it may still be shown.
  func find(_ link: Link, at now: Int64) throws -> PreviewEntry? {
    try database.withDatabase {
      let rows = try $0.rows(
        "SELECT * FROM preview WHERE link = ? AND stale_until > ?", [link.url, now])
      return try rows.next().flatMap(PreviewEntry.init)
    }
  }

  /// Stores entries, replacing earlier ones for their links.
  func store(_ entries: [PreviewEntry], at now: Int64) throws {
    var rest = entries.filter { $0.byteCount <= bounds.maximumEntryBytes }[...]
    while !rest.isEmpty {
      let step = nextStep(of: rest)
      rest = rest.dropFirst(step.count)
      try makeRoom(for: step)
      try change { database in
        try step.reduce(0) { try $0 + $1.store(in: database) }
      }
    }
    try trim(at: now)
  }

  private func nextStep(of entries: ArraySlice<PreviewEntry>) -> ArraySlice<PreviewEntry> {
    var room = bounds.bytesPerStep
    let step = entries.prefix(bounds.rowsPerStep).prefix { entry in
      defer { room -= entry.byteCount }
      return entry.byteCount <= room
    }
    return step.isEmpty ? entries.prefix(1) : step
  }

  /// Changes the file in one transaction.
  ///
  /// - Parameter body: Returns the number of rows added.
  func change(_ body: (Database) throws -> Int) throws {
    let (growth, pageCount) = try database.inTransaction { database in
      (try body(database), try database.number("PRAGMA page_count"))
    }
    rows.wrappingAdd(growth, ordering: .relaxed)
    bytes.store(pageCount * FileCacheBounds.pageSize, ordering: .relaxed)
  }

  /// Closes the file.
  func close() { database.close() }

  /// Closes the file and deletes it.
  func discard() {
    database.close()
    Self.remove(path)
  }
}

extension FileCache {
  /// Returns entries after `cursor` in the order of their links.
  func entries(
    _ scope: CacheScope, after cursor: String, limit: Int, at now: Int64
  ) throws -> [PreviewEntry] {
    let (condition, arguments) = scope.condition
    return try database.withDatabase {
      let rows = try $0.rows(
        """
        SELECT * FROM preview WHERE \(condition) AND link > ? AND stale_until > ?
        ORDER BY link LIMIT ?
        """, arguments + [cursor, now, limit])
      var entries: [PreviewEntry] = []
      while let row = try rows.next() {
        if let entry = PreviewEntry(row) { entries.append(entry) }
      }
      return entries
    }
  }

  /// Removes some of the entries of a scope.
  ///
  /// - Returns: The links of the removed entries; none when all are removed.
  func purgeStep(_ scope: CacheScope) throws -> [Link] {
    let (condition, arguments) = scope.condition
    var links: [String] = []
    try change { database in
      let rows = try database.rows(
        """
        DELETE FROM preview
        WHERE id IN (SELECT id FROM preview WHERE \(condition) LIMIT \(bounds.rowsPerStep))
        RETURNING link
        """, arguments)
      while let row = try rows.next() { links.append(row[0]) }
      return -links.count
    }
    return links.compactMap { Link($0) }
  }

  /// Deletes the file at `path` with SQLite's companion files, if it exists.
  static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { _ = unlink(path + suffix) }
  }
}

extension CacheScope {
  /// The SQL condition for the rows of the scope.
  fileprivate var condition: (String, Arguments) {
    switch self {
    case .everything: ("TRUE", [])
    case .link(let link): ("link = ?", [link.url])
    case .hosts(let key): ("host >= ? AND host < ?", [key.text, key.upperBound])
    case .nothing: ("FALSE", [])
    }
  }
}
