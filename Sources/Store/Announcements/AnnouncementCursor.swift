/// The position up to which a server has read the announcements.
///
/// Numbers are assigned before transactions commit, so a row can appear below rows that were read
/// already. Until then its number is missing. Whether the row can still appear is known from the
/// transactions: a transaction with a lower number than that of a row in the snapshot began before the
/// snapshot. When all transactions from then have ended, a number that is still missing was rolled back.
/// So no lock that delays writers is needed, and no row is skipped.
package struct AnnouncementCursor: Sendable, Hashable {
  package enum Reading: Sendable, Hashable {
    /// The entries that were not read before.
    case entries([AnnouncementEntry])
    /// Rows that were never read may have been removed: the server was away for too long, or the
    /// database has lost its last commits. Everything has to be read again, with a new cursor.
    case gap
  }

  /// More than the numbers that open transactions can leave between two rows.
  private static let missingLimit: Int64 = 1_000

  private var last: Int64
  /// `nil` while no row has been read.
  private var lastCreatedAt: Int64?
  /// The time of the last read of a page, by the database's clock.
  private var readAt: Int64
  /// Numbers below the last one without a row, each with the transaction before which all must have
  /// ended before the number counts as rolled back.
  private var missing: [Int64: Int64] = [:]

  /// Starts after a page of the newest entries.
  package init(after page: AnnouncementPage) {
    readAt = page.now
    // Numbers may be missing before the first row too, unless older rows were left out.
    last = page.isLast ? 0 : page.entries.first.map { $0.id - 1 } ?? 0
    lastCreatedAt = nil
    for entry in page.entries { advance(to: entry, page) }
  }

  /// The next read, including the missing numbers.
  package var next: AnnouncementRead { .following(last, missing: missing.keys.sorted()) }

  package mutating func take(_ page: AnnouncementPage) -> Reading {
    guard !hasGap(before: page) else { return .gap }
    readAt = page.now
    var found: [AnnouncementEntry] = []
    for entry in page.entries {
      if entry.id > last {
        advance(to: entry, page)
        found.append(entry)
      } else if missing.removeValue(forKey: entry.id) != nil {
        found.append(entry)
      }
    }
    // If the page ends earlier, nothing is known about the numbers after its end.
    let end = page.isLast ? .max : page.entries.last?.id ?? 0
    missing = missing.filter { $0.key > end || $0.value > page.firstOpenTransaction }
    return .entries(found)
  }

  private mutating func advance(to entry: AnnouncementEntry, _ page: AnnouncementPage) {
    for id in max(last + 1, entry.id - Self.missingLimit)..<entry.id {
      missing[id] = page.nextTransaction
    }
    (last, lastCreatedAt) = (entry.id, entry.createdAt)
  }

  /// Rows are removed after the retention time.
  ///
  /// A row that disappears earlier was never committed by the database that answers now, and its number
  /// may be assigned to another row.
  private func hasGap(before page: AnnouncementPage) -> Bool {
    let safeTime = Announcement.retention / 2
    if page.now - readAt > safeTime { return true }
    guard let lastCreatedAt, lastCreatedAt > page.now - safeTime else { return false }
    guard page.isLast || page.entries.last.map({ $0.id >= last }) ?? false else { return false }
    return !page.entries.contains { $0.id == last && $0.createdAt == lastCreatedAt }
  }
}
