import Glibc
import GRDB
import LinkPreview

extension PreviewFile {
  /// Entries behind `cursor` in the order of their links.
  func entries(
    _ scope: PreviewScope, after cursor: String, limit: Int, at now: Int64
  ) throws -> [PreviewEntry] {
    let (condition, arguments) = scope.condition
    let rows = try database.read {
      try Row.fetchAll(
        $0,
        sql: """
          SELECT * FROM preview WHERE \(condition) AND link > ? AND stale_until > ?
          ORDER BY link LIMIT ?
          """, arguments: arguments + [cursor, now, limit])
    }
    return rows.compactMap(PreviewEntry.init)
  }

  /// Removes some of the entries of a scope.
  ///
  /// - Returns: Their links; none when all are gone.
  func purgeStep(_ scope: PreviewScope) throws -> [Link] {
    let (condition, arguments) = scope.condition
    var links: [String] = []
    try change { database in
      links = try String.fetchAll(
        database,
        sql: """
          DELETE FROM preview
          WHERE id IN (SELECT id FROM preview WHERE \(condition) LIMIT \(bounds.rowsPerStep))
          RETURNING link
          """, arguments: arguments)
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
  fileprivate var condition: (String, StatementArguments) {
    switch self {
    case .everything: ("TRUE", [])
    case .link(let link): ("link = ?", [link.url])
    case .hosts(let key): ("host >= ? AND host < ?", [key.text, key.upperBound])
    case .nothing: ("FALSE", [])
    }
  }
}
