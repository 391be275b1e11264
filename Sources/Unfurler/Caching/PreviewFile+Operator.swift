import Glibc
import SQLite
import LinkPreview

extension PreviewFile {
  /// Entries behind `cursor` in the order of their links.
  func entries(
    _ scope: PreviewScope, after cursor: String, limit: Int, at now: Int64
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
  /// - Returns: Their links; none when all are gone.
  func purgeStep(_ scope: PreviewScope) throws -> [Link] {
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

  /// Deletes the file at `path` with what SQLite keeps beside it, if there is one.
  static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { _ = unlink(path + suffix) }
  }
}

extension PreviewScope {
  /// What the rows of the scope fulfil.
  fileprivate var condition: (String, Arguments) {
    switch self {
    case .everything: ("TRUE", [])
    case .link(let link): ("link = ?", [link.url])
    case .hosts(let key): ("host >= ? AND host < ?", [key.text, key.upperBound])
    case .nothing: ("FALSE", [])
    }
  }
}
