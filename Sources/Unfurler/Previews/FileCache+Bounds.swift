import LinkPreview
import SQLite

extension FileCache {
  /// Removes some of the expired entries, and all that exceed the bounds.
  func trim(at now: Int64) throws {
    // In limited steps: after a long sleep, callers that need the file would wait.
    for _ in 0..<8 {
      if try removeExpired(at: now) < bounds.rowsPerStep { break }
    }
    while rowCount > bounds.maximumRows, try removeSoonest(rowCount - bounds.maximumRows) > 0 {}
    try makeRoom(forPages: 0)
  }

  /// Removes entries until there is room for new ones.
  func makeRoom(for entries: ArraySlice<PreviewEntry>) throws {
    try makeRoom(forPages: entries.reduce(0) { $0 + bounds.pages(for: $1) })
  }

  /// Returns free pages to the disk.
  func shrink() throws {
    var pageCount = Int.max
    while true {
      let (count, free) = try usage()
      // Not fewer than before: nothing more can be returned.
      guard free > 0, count < pageCount else { break }
      pageCount = count
      try change { database in
        try database.execute("PRAGMA incremental_vacuum(\(bounds.checkpointPages))")
        return 0
      }
    }
    try database.withDatabase { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  /// Returns whether a new file would fix an error.
  static func isDamage(_ error: any Error) -> Bool {
    if error is FileCacheSchema.Mismatch { return true }
    guard let error = error as? DatabaseError else { return false }
    // A plain error means that the tables are not as expected.
    return [.corrupt, .notDatabase, .error, .mismatch].contains(error.code)
  }

  private func makeRoom(forPages wanted: Int) throws {
    while true {
      let (count, free) = try usage()
      guard count - free + wanted > bounds.maximumPages else { return }
      guard try removeSoonest(bounds.rowsPerStep) > 0 else { return }
    }
  }

  /// Entries that expire first are worth least, and an index finds them: first negative results,
  /// then pages whose servers require an early refresh.
  private func removeSoonest(_ count: Int) throws -> Int {
    try remove(
      """
      id IN (SELECT id FROM preview ORDER BY stale_until LIMIT \
      \(min(count, bounds.rowsPerStep)))
      """, [])
  }

  private func removeExpired(at now: Int64) throws -> Int {
    try remove(
      """
      id IN (SELECT id FROM preview WHERE stale_until <= ? LIMIT \(bounds.rowsPerStep))
      """, [now])
  }

  private func remove(_ condition: String, _ arguments: Arguments) throws -> Int {
    var count = 0
    try change { database in
      try database.execute("DELETE FROM preview WHERE \(condition)", arguments)
      count = database.changesCount
      return -count
    }
    return count
  }

  /// Returns the number of pages of the file, and of its free pages.
  private func usage() throws -> (count: Int, free: Int) {
    try database.withDatabase {
      (try $0.number("PRAGMA page_count"), try $0.number("PRAGMA freelist_count"))
    }
  }
}

/// The size limit of the file, and the limits of its transactions.
///
/// A quarter of the disk space is reserved for the write-ahead log, which holds the pages of one
/// transaction in addition to those that wait for a checkpoint; so both are kept small.
struct FileCacheBounds: Sendable {
  let maximumRows: Int
  /// The maximum size of the file and the write-ahead log together.
  let maximumBytes: Int

  static let pageSize = 4_096
  private static let minimumBytes = 1 << 20

  init(maximumRows: Int, maximumBytes: Int) {
    self.maximumRows = max(0, maximumRows)
    self.maximumBytes = min(max(Self.minimumBytes, maximumBytes), 1 << 40)
  }

  init(_ limits: PreviewCache.Limits) {
    self.init(maximumRows: limits.maximumRows, maximumBytes: limits.maximumFileBytes)
  }

  /// The maximum number of pages of the file itself.
  var maximumPages: Int { maximumBytes / 4 * 3 / Self.pageSize }

  /// The number of pages in the log that triggers a checkpoint.
  var checkpointPages: Int { min(max(4, maximumBytes / 32 / Self.pageSize), 256) }

  /// The maximum number of rows in a transaction: each may touch a page of the table and of every index.
  var rowsPerStep: Int { min(max(4, maximumBytes >> 17), 64) }

  /// The maximum number of bytes in a transaction.
  var bytesPerStep: Int { min(maximumBytes / 32, 256 << 10) }

  /// The maximum size of an entry; larger ones are not stored in the file.
  var maximumEntryBytes: Int { maximumBytes / 32 }

  /// Returns the approximate maximum number of pages for storing an entry: its link is also in two
  /// indexes, its last page is rarely full, and the indexes may split.
  func pages(for entry: PreviewEntry) -> Int {
    (entry.byteCount + 3 * entry.link.url.utf8.count) / Self.pageSize + 4
  }
}
