import SQLite
import LinkPreview
import Reactor
import Synchronization

/// The previews on disk: a cache of its own, that may be deleted at any time.
///
/// Calls wait for the disk, so they are made on the cache's queue only.
final class PreviewFile: Sendable {
  let database: SharedDatabase
  let bounds: PreviewFileBounds
  private let path: String
  private let rows = Atomic<Int>(0)
  private let bytes = Atomic<Int>(0)

  /// Rows in the file; any thread may ask.
  var rowCount: Int { rows.load(ordering: .relaxed) }
  /// Bytes of the file, without its write-ahead log; any thread may ask.
  var byteCount: Int { bytes.load(ordering: .relaxed) }

  /// Opens the file, and removes what may not be shown any more or is too much.
  ///
  /// - Throws: What SQLite says, or ``PreviewFileSchema/Mismatch`` for a file of another version;
  ///   ``isDamage(_:)`` tells whether a new file would help.
  init(path: String, bounds: PreviewFileBounds, at now: Int64) throws {
    self.path = path
    self.bounds = bounds
    PrivateFile.prepareDatabase(path)
    database = try SharedDatabase(path: path)
    let count = try database.withDatabase {
      try PreviewFileSchema.configure($0, bounds)
      try PreviewFileSchema.prepare($0)
      return try $0.number("SELECT count(*) FROM preview")
    }
    rows.store(count, ordering: .relaxed)
    try trim(at: now)
    try shrink()
  }

  /// What may still be shown, what lasts longest first: as much as memory takes.
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

  /// The entry for a link if it may still be shown.
  func find(_ link: Link, at now: Int64) throws -> PreviewEntry? {
    try database.withDatabase {
      let rows = try $0.rows(
        "SELECT * FROM preview WHERE link = ? AND stale_until > ?", [link.url, now])
      return try rows.next().flatMap(PreviewEntry.init)
    }
  }

  /// Stores entries in place of what the file knew of their links.
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
  /// - Parameter body: Returns how many rows there are more than before.
  func change(_ body: (Database) throws -> Int) throws {
    let (growth, pageCount) = try database.inTransaction { database in
      (try body(database), try database.number("PRAGMA page_count"))
    }
    rows.wrappingAdd(growth, ordering: .relaxed)
    bytes.store(pageCount * PreviewFileBounds.pageSize, ordering: .relaxed)
  }

  /// Closes the file.
  func close() { database.close() }

  /// Closes the file and deletes it.
  func discard() {
    database.close()
    Self.remove(path)
  }
}
