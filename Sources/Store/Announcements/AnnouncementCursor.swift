/// The place up to which a server has read the announcements.
///
/// Numbers are given before transactions commit, so a row can appear below others that were read. Its
/// number is missing until then. Whether it still comes is known from the transactions: one that took
/// a number lower than that of a row in the snapshot had begun before the snapshot. When all
/// transactions from then have ended, a number that is still missing was rolled back. So no lock is
/// needed that holds up those who write, and no row is passed over.
package struct AnnouncementCursor: Sendable, Hashable {
  package enum Reading: Sendable, Hashable {
    /// The entries that were not read before.
    case entries([AnnouncementEntry])
    /// Rows may be gone that were never read: the server was away for too long, or the database has
    /// lost its last commits. All has to be read anew, with a new cursor.
    case gap
  }

  /// More numbers than open transactions can have between two rows.
  private static let missingLimit: Int64 = 1_000

  private var last: Int64
  /// `nil` as long as there was no row.
  private var lastCreatedAt: Int64?
  /// When the last page was read, by the database's clock.
  private var readAt: Int64
  /// Numbers below the last one without a row, and the transaction before which all have to end until
  /// it is known that none comes.
  private var missing: [Int64: Int64] = [:]

  /// Begins after a page of the newest entries.
  package init(after page: AnnouncementPage) {
    readAt = page.now
    // Before the first row, too, numbers may be missing, unless older rows were left out.
    last = page.isLast ? 0 : page.entries.first.map { $0.id - 1 } ?? 0
    lastCreatedAt = nil
    for entry in page.entries { advance(to: entry, page) }
  }

  /// The read of what may have come.
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
    // Of a page that ends before, nothing is known of the numbers after its end.
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

  /// Rows are removed after the retention; a row that is gone earlier was never committed by the
  /// database that answers now, and its number may be given to another.
  private func hasGap(before page: AnnouncementPage) -> Bool {
    let safeTime = Announcement.retention / 2
    if page.now - readAt > safeTime { return true }
    guard let lastCreatedAt, lastCreatedAt > page.now - safeTime else { return false }
    guard page.isLast || page.entries.last.map({ $0.id >= last }) ?? false else { return false }
    return !page.entries.contains { $0.id == last && $0.createdAt == lastCreatedAt }
  }
}
