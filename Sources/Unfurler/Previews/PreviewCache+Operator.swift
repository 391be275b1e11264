import Dispatch
import LinkPreview
import Synchronization

extension PreviewCache {
  /// The number of slots of memory that are read while look-ups wait.
  private static let slotsPerStep = 256

  /// Lists what is remembered, in memory or in the file, in the order of the links; answers on the
  /// cache's queue.
  ///
  /// - Parameters:
  ///   - cursor: The page before this one's ``PreviewPage/next``.
  ///   - limit: Held between 1 and ``PreviewPage/maximumCount``.
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

  /// Forgets links, in memory and in the file; answers on the cache's queue with how many.
  func purge(_ selection: PreviewSelection, completion: @escaping @Sendable (Int) -> Void) {
    queue.async { [self] in
      writeOut()
      let scope = CacheScope(selection)
      let links = recentEntries(scope).map(\.link)
      // One at a time: look-ups wait for the lock, and there may be thousands.
      for link in links { forgetRecent([link]) }
      purgeFile(
        PreviewPurge(
          scope: scope, recent: Set(links), rowsLeft: withFile { $0.rowCount } ?? 0),
        completion: completion)
    }
  }

  /// Takes one step of a purge.
  ///
  /// Each is a turn of its own on the queue: requests that need the file wait for one step, not for
  /// all.
  private func purgeFile(_ purge: PreviewPurge, completion: @escaping @Sendable (Int) -> Void) {
    let step = purge.rowsLeft > 0 ? withFile { try $0.purgeStep(purge.scope) } : []
    // What cannot be removed from the file, on a full disk perhaps, must not come back from it.
    if step == nil { abandonFile() }
    guard let links = step, !links.isEmpty else {
      _ = withFile { try $0.shrink() }
      return completion(purge.count)
    }
    // A request may have brought it back from the file since.
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

/// Part of what is remembered, in the order of the links.
package struct PreviewPage: Sendable, Hashable {
  package var entries: [PreviewEntry]
  /// The cursor of the next page; `nil` at the end.
  package var next: String?

  /// The most entries on a page.
  package static let maximumCount = 500

  package init(entries: [PreviewEntry], next: String?) {
    self.entries = entries
    self.next = next
  }
}

extension PreviewPage {
  /// The first `limit` of the entries that either place knows; `recent` is believed over `stored`.
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
  /// The links that memory has forgotten, which the file may know too.
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

  /// The purge when `links` have been removed from the file.
  func advanced(by links: [Link]) -> PreviewPurge {
    var next = self
    next.rowsLeft -= links.count
    next.count += links.count { !recent.contains($0) }
    return next
  }
}
