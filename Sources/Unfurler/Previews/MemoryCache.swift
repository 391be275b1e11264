import LinkPreview

/// The recently used previews, bounded in number and size; the least recently used are removed first.
struct MemoryCache {
  /// The entries form a doubly linked list through their slots, from newest to oldest.
  private struct Slot {
    var entry: PreviewEntry
    var byteCount: Int
    /// The earliest time of the next refresh.
    var refreshableAt: Int64 = .min
    var newer: Int?
    var older: Int?
  }

  private let maximumCount: Int
  private let maximumBytes: Int
  private var slots: [Slot?] = []
  private var free: [Int] = []
  private var places: [Link: Int] = [:]
  private var newest: Int?
  private var oldest: Int?
  private(set) var byteCount = 0

  init(maximumCount: Int, maximumBytes: Int) {
    self.maximumCount = max(1, maximumCount)
    self.maximumBytes = maximumBytes
  }

  var count: Int { places.count }

  /// The number of slots that ``entries(inSlots:)`` accepts.
  var slotCount: Int { slots.count }

  /// Returns the entry for `link` if it may be shown, and makes it the newest.
  ///
  /// - Parameter retryInterval: The time in milliseconds for which only this caller refreshes a
  ///   stale entry.
  mutating func find(
    _ link: Link, at now: Int64, retryInterval: Int64
  ) -> CacheHit? {
    guard let place = places[link], let slot = slots[place] else { return nil }
    switch slot.entry.age(at: now) {
    case .gone:
      remove(at: place)
      return nil
    case .fresh:
      makeNewest(place)
      return .fresh(slot.entry)
    case .stale:
      makeNewest(place)
      // A time further in the future was set before the clock was set back.
      let isPostponed = slot.refreshableAt > now && slot.refreshableAt - now <= retryInterval
      if isPostponed { return .stale(slot.entry, .underWay) }
      slots[place]?.refreshableAt = now + retryInterval
      return .stale(slot.entry, .due)
    }
  }

  /// Returns the entry for `link` if it may be shown, without changing the cache.
  func peek(_ link: Link, at now: Int64) -> PreviewEntry? {
    guard let place = places[link], let entry = slots[place]?.entry, entry.age(at: now) != .gone
    else { return nil }
    return entry
  }

  /// Returns the entries in a range of slots, unordered: iteration in steps, between which entries
  /// may be added and removed.
  func entries(inSlots range: Range<Int>) -> [PreviewEntry] {
    slots[range.clamped(to: slots.indices)].compactMap { $0?.entry }
  }

  /// Postpones the refresh of the entry for `link` until `time`.
  mutating func postponeRefresh(of link: Link, until time: Int64) {
    guard let place = places[link] else { return }
    slots[place]?.refreshableAt = time
  }

  mutating func insert(_ entry: PreviewEntry) {
    remove(entry.link)
    let size = entry.byteCount
    guard size <= maximumBytes else { return }
    while let oldest, count >= maximumCount || byteCount + size > maximumBytes {
      remove(at: oldest)
    }
    let place = free.popLast() ?? slots.count
    if place == slots.count { slots.append(nil) }
    slots[place] = Slot(entry: entry, byteCount: size)
    places[entry.link] = place
    byteCount += size
    linkAsNewest(place)
  }

  /// - Returns: Whether there was an entry.
  @discardableResult
  mutating func remove(_ link: Link) -> Bool {
    guard let place = places[link] else { return false }
    remove(at: place)
    return true
  }

  private mutating func remove(at place: Int) {
    guard let slot = slots[place] else { return }
    unlink(place)
    places[slot.entry.link] = nil
    byteCount -= slot.byteCount
    slots[place] = nil
    free.append(place)
  }

  private mutating func makeNewest(_ place: Int) {
    guard newest != place else { return }
    unlink(place)
    linkAsNewest(place)
  }

  private mutating func unlink(_ place: Int) {
    let newer = slots[place]?.newer
    let older = slots[place]?.older
    if let newer { slots[newer]?.older = older } else { newest = older }
    if let older { slots[older]?.newer = newer } else { oldest = newer }
    slots[place]?.newer = nil
    slots[place]?.older = nil
  }

  private mutating func linkAsNewest(_ place: Int) {
    slots[place]?.older = newest
    if let newest { slots[newest]?.newer = place } else { oldest = place }
    newest = place
  }
}

/// Entries waiting to be written to the file, the latest for each link; excess ones are dropped.
struct UnwrittenEntries {
  private var entries: [Link: PreviewEntry] = [:]
  private var byteCount = 0

  static let maximumCount = 2_000
  static let maximumBytes = 8 << 20

  /// Returns the waiting entry for a link.
  subscript(_ link: Link) -> PreviewEntry? { entries[link] }

  /// Whether at most half of the room is used.
  var isAmple: Bool {
    entries.count <= Self.maximumCount / 2 && byteCount <= Self.maximumBytes / 2
  }

  mutating func add(_ entry: PreviewEntry) {
    if let replaced = entries.removeValue(forKey: entry.link) { byteCount -= replaced.byteCount }
    let size = entry.byteCount
    guard entries.count < Self.maximumCount, byteCount + size <= Self.maximumBytes else { return }
    entries[entry.link] = entry
    byteCount += size
  }

  /// Removes and returns all entries.
  mutating func take() -> [PreviewEntry] {
    defer { self = UnwrittenEntries() }
    return Array(entries.values)
  }
}
