import Dispatch
import LinkPreview
import Synchronization

extension PreviewCache {
  /// The number of memory slots read while look-ups wait.
  private static let slotsPerStep = 256

  /// Lists cached entries, from memory and the file, in the order of the links; completes on the
  /// cache's queue.
  ///
  /// - Parameters:
  ///   - cursor: The ``PreviewPage/next`` of the previous page.
  ///   - limit: Clamped to 1 to ``PreviewPage/maximumCount``.
  func entries(
    _ selection: PreviewSelection, after cursor: String?, limit: Int,
    completion: @escaping @Sendable (PreviewPage) -> Void
  ) {
    let limit = min(max(1, limit), PreviewPage.maximumCount)
    queue.async { [self] in
      writeOut()
      let scope = CacheScope(selection)
      let now = now()
      let recent = recentEntries(scope).filter {
        $0.age(at: now) != .gone && $0.link.url > cursor ?? ""
      }
      let stored = withFile {
        try $0.entries(scope, after: cursor ?? "", limit: limit + 1, at: now)
      }
      completion(
        PreviewPage(
          recent, stored?.map { lifetimes.restored($0, at: now) } ?? [], limit: limit))
    }
  }

  /// Removes links from memory and the file; completes on the cache's queue with their number.
  func purge(_ selection: PreviewSelection, completion: @escaping @Sendable (Int) -> Void) {
    queue.async { [self] in
      writeOut()
      let scope = CacheScope(selection)
      let links = recentEntries(scope).map(\.link)
      // One at a time: look-ups wait for the lock, and there may be thousands of links.
      for link in links { forgetRecent([link]) }
      purgeFile(
        PreviewPurge(
          scope: scope, recent: Set(links), rowsLeft: withFile { $0.rowCount } ?? 0),
        completion: completion)
    }
  }

  /// Performs one step of a purge.
  ///
  /// Each step is a separate block on the queue: requests that need the file wait for one step, not
  /// for all.
  private func purgeFile(_ purge: PreviewPurge, completion: @escaping @Sendable (Int) -> Void) {
    let step = purge.rowsLeft > 0 ? withFile { try $0.purgeStep(purge.scope) } : []
    // Entries that cannot be removed from the file, for example on a full disk, must not be read again.
    if step == nil { abandonFile() }
    guard let links = step, !links.isEmpty else {
      _ = withFile { try $0.shrink() }
      return completion(purge.count)
    }
    // A request may have loaded the entry from the file since.
    forgetRecent(links)
    let next = purge.advanced(by: links)
    queue.async { [self] in purgeFile(next, completion: completion) }
  }

  private func forgetRecent(_ links: [Link]) {
    state.withLock { state in
      for link in links { state.recent.remove(link) }
    }
  }

  private func recentEntries(_ scope: CacheScope) -> [PreviewEntry] {
    var found: [PreviewEntry] = []
    var place = 0
    while true {
      let step = place..<(place + Self.slotsPerStep)
      let (entries, slotCount) = state.withLock {
        ($0.recent.entries(inSlots: step), $0.recent.slotCount)
      }
      found += entries.filter { scope.covers($0.link) }
      place = step.upperBound
      if place >= slotCount { return found }
    }
  }
}

/// A page of cached entries, in the order of the links.
package struct PreviewPage: Sendable, Hashable {
  package var entries: [PreviewEntry]
  /// The cursor of the next page; `nil` at the end.
  package var next: String?

  /// The maximum number of entries on a page.
  package static let maximumCount = 500

  package init(entries: [PreviewEntry], next: String?) {
    self.entries = entries
    self.next = next
  }
}

extension PreviewPage {
  /// Merges the first `limit` entries of both sources; `recent` has precedence over `stored`.
  init(_ recent: [PreviewEntry], _ stored: [PreviewEntry], limit: Int) {
    var byLink = Dictionary(stored.map { ($0.link, $0) }) { first, _ in first }
    for entry in recent { byLink[entry.link] = entry }
    let sorted = byLink.values.sorted { $0.link.url < $1.link.url }
    let page = Array(sorted.prefix(limit))
    self.init(entries: page, next: sorted.count > limit ? page.last?.link.url : nil)
  }
}

/// The progress of a purge of the file.
struct PreviewPurge: Sendable {
  let scope: CacheScope
  /// The links removed from memory, which may also be in the file.
  let recent: Set<Link>
  /// The number of rows that may still be removed; rows stored meanwhile do not prolong the purge.
  private(set) var rowsLeft: Int
  /// The number of links removed.
  private(set) var count: Int

  init(scope: CacheScope, recent: Set<Link>, rowsLeft: Int) {
    self.scope = scope
    self.recent = recent
    self.rowsLeft = rowsLeft
    count = recent.count
  }

  /// Returns the purge after `links` have been removed from the file.
  func advanced(by links: [Link]) -> PreviewPurge {
    var next = self
    next.rowsLeft -= links.count
    next.count += links.count { !recent.contains($0) }
    return next
  }
}
