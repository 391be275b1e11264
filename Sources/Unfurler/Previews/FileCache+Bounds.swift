import LinkPreview
import SQLite

extension FileCache {
  /// Removes some of what may not be shown any more, and all that is beyond the bounds.
  func trim(at now: Int64) throws {
    // Not all of it: after a long sleep, those who wait for the file would wait for that.
    for _ in 0..<8 {
      if try removeExpired(at: now) < bounds.rowsPerStep { break }
    }
    while rowCount > bounds.maximumRows, try removeSoonest(rowCount - bounds.maximumRows) > 0 {}
    try makeRoom(forPages: 0)
  }

  /// Removes entries until there is room for others.
  func makeRoom(for entries: ArraySlice<PreviewEntry>) throws {
    try makeRoom(forPages: entries.reduce(0) { $0 + bounds.pages(for: $1) })
  }

  /// Gives free pages back to the disk.
  func shrink() throws {
    var pageCount = Int.max
    while true {
      let (count, free) = try usage()
      // Not fewer than before: nothing can be given back.
      guard free > 0, count < pageCount else { break }
      pageCount = count
      try change { database in
        try database.execute("PRAGMA incremental_vacuum(\(bounds.checkpointPages))")
        return 0
      }
    }
    try database.withDatabase { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  /// Whether a new file would put an end to an error.
  static func isDamage(_ error: any Error) -> Bool {
    if error is FileCacheSchema.Mismatch { return true }
    guard let error = error as? DatabaseError else { return false }
    // A plain error means that the tables are not what they ought to be.
    return [.corrupt, .notDatabase, .error, .mismatch].contains(error.code)
  }

  private func makeRoom(forPages wanted: Int) throws {
    while true {
      let (count, free) = try usage()
      guard count - free + wanted > bounds.maximumPages else { return }
      guard try removeSoonest(bounds.rowsPerStep) > 0 else { return }
    }
  }

  /// Those that would be the first to be forgotten are worth least, and an index knows them: the
  /// answers that there is none go first, then the pages whose servers want to be asked soon.
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

  /// The pages of the file, and those of them that are free.
  private func usage() throws -> (count: Int, free: Int) {
    try database.withDatabase {
      (try $0.number("PRAGMA page_count"), try $0.number("PRAGMA freelist_count"))
    }
  }
}

/// The size limit of the file, and the steps in which it is written.
///
/// A quarter of the room on disk is kept for the write-ahead log, which holds the pages of one
/// transaction beside those that wait for a checkpoint; so both are kept small.
struct FileCacheBounds: Sendable {
  let maximumRows: Int
  /// File and write-ahead log together.
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

  /// The pages of the file itself.
  var maximumPages: Int { maximumBytes / 4 * 3 / Self.pageSize }

  /// After how many pages in the log they are brought to the file.
  var checkpointPages: Int { min(max(4, maximumBytes / 32 / Self.pageSize), 256) }

  /// The rows of one transaction: each may touch a page of the table and of every index.
  var rowsPerStep: Int { min(max(4, maximumBytes >> 17), 64) }

  /// The bytes of one transaction.
  var bytesPerStep: Int { min(maximumBytes / 32, 256 << 10) }

  /// An entry that is larger is not kept in the file.
  var maximumEntryBytes: Int { maximumBytes / 32 }

  /// The pages that storing an entry takes at most, about: its link is in two indexes too, its last
  /// page is seldom full, and the indexes may have to split.
  func pages(for entry: PreviewEntry) -> Int {
    (entry.byteCount + 3 * entry.link.url.utf8.count) / Self.pageSize + 4
  }
}
