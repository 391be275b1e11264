/// Reads announcements, in the order of their numbers.
package struct AnnouncementRead: StoreLookup, Hashable {
  enum Range: Sendable, Hashable {
    case newest
    case following(Int64, missing: [Int64])
  }

  /// Maximum number of entries on a page.
  private static let pageSize = 1_000

  let range: Range

  /// The newest entries, after which a server starts reading.
  package static let newest = AnnouncementRead(range: .newest)

  /// The entries after a number, and those that were missing before it.
  package static func following(_ last: Int64, missing: [Int64]) -> AnnouncementRead {
    AnnouncementRead(range: .following(last, missing: missing))
  }

  private init(range: Range) { self.range = range }

  package var statements: ReadStatements<AnnouncementPage> {
    .init { transaction in
      switch range {
      case .newest:
        try transaction.announcements(
          "TRUE ORDER BY id DESC LIMIT ?", [Self.pageSize], limit: Self.pageSize)
      case .following(let last, let missing):
        try transaction.announcements(
          "id >= ? OR id = ANY(?) ORDER BY id LIMIT ?",
          [last, StoreValue.integers(missing), Self.pageSize], limit: Self.pageSize)
      }
    }
  }
}

/// Finds the number of the last announcement of an eviction; 0 when there is none.
///
/// A token that is checked after this read was valid when that announcement was made.
package struct LastEviction: StoreLookup {
  package var userID: String

  package init(of userID: String) { self.userID = userID }

  package var statements: ReadStatements<Int64> {
    .init {
      try $0.connection.first(
        "SELECT coalesce(max(id), 0) FROM announcements WHERE user_id = ?", [userID]
      ) { $0[0] } ?? 0
    }
  }
}

extension StoreTransaction {
  fileprivate func announcements(
    _ range: StoreStatement, _ values: StoreArguments, limit: Int
  ) throws -> AnnouncementPage {
    var page = AnnouncementPage(
      entries: [], now: 0, firstOpenTransaction: 0, nextTransaction: 0)
    // The row of the snapshot is returned without entries too. A snapshot ends at the last ended
    // transaction, and running ones may have higher numbers: age() counts from the next one.
    let rows = try connection.rows(
      """
      SELECT snapshot.now, snapshot.first_open, snapshot.next,
        entry.id, entry.created_at, entry.kind, entry.user_id, entry.body
      FROM (
        SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
          txid_snapshot_xmin(txid_current_snapshot()) AS first_open,
          txid_snapshot_xmax(txid_current_snapshot()) + age(
            (txid_snapshot_xmax(txid_current_snapshot()) % 4294967296)::text::xid) AS next
      ) AS snapshot
      LEFT JOIN (
        SELECT id, created_at, kind, user_id, body FROM announcements WHERE \(range)
      ) AS entry ON TRUE
      ORDER BY entry.id
      """, values)
    while let row = try rows.next() {
      (page.now, page.firstOpenTransaction, page.nextTransaction) = (row[0], row[1], row[2])
      guard let id: Int64 = row[3] else { continue }
      page.entries.append(
        AnnouncementEntry(
          id: id, createdAt: row[4],
          Announcement(kind: row[5], userID: row[6], body: row[7])))
    }
    page.isLast = page.entries.count < limit
    return page
  }
}

extension WriteTransaction {
  /// Announces a change of this transaction; nothing in a database of one server.
  ///
  /// Announcements about one user get their numbers in the order in which they become visible: each
  /// transaction locks the user's row before it requests a number.
  func announce(_ announcement: Announcement) throws {
    guard connection.session.hasLanes else { return }
    let columns = announcement.columns
    // The transaction's number must be lower than those that readers may see together with the row's.
    _ = try connection.first("SELECT txid_current()", []) { $0[0] as Int64 }
    if let userID = columns.userID {
      _ = try connection.first("SELECT 1 FROM users WHERE user_id = ? FOR UPDATE", [userID]) {
        $0[0] as Int64
      }
    }
    try connection.execute(
      """
      INSERT INTO announcements (kind, user_id, body, created_at)
      VALUES (?, ?, ?, \(Self.databaseTime))
      """, [columns.kind, columns.userID, columns.body])
    try connection.execute(
      """
      DELETE FROM announcements WHERE id IN (
        SELECT id FROM announcements WHERE created_at < \(Self.databaseTime) - ?
        LIMIT 100 FOR UPDATE SKIP LOCKED)
      """, [Announcement.retention])
  }

  /// The database's clock in Unix milliseconds.
  private static var databaseTime: StoreStatement {
    "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
  }
}
