import LinkPreview

/// The previews looked up last, bounded in number and size; the least recently used ones go first.
struct RecentPreviews {
  /// The entries form a doubly linked list through their slots, from the newest to the oldest.
  private struct Slot {
    var link: Link
    var preview: CachedPreview
    var byteCount: Int
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

  /// The entry for `link` if it is still good, which thereby becomes the newest.
  mutating func find(_ link: Link, at now: Int64) -> CachedPreview? {
    guard let place = places[link], let slot = slots[place] else { return nil }
    guard slot.preview.expiresAt > now else {
      remove(at: place)
      return nil
    }
    if newest != place {
      unlink(place)
      linkAsNewest(place)
    }
    return slot.preview
  }

  mutating func insert(_ preview: CachedPreview, for link: Link) {
    if let place = places[link] { remove(at: place) }
    let size = preview.byteCount(of: link.url)
    guard size <= maximumBytes else { return }
    while let oldest, count >= maximumCount || byteCount + size > maximumBytes {
      remove(at: oldest)
    }
    let place = free.popLast() ?? slots.count
    if place == slots.count { slots.append(nil) }
    slots[place] = Slot(link: link, preview: preview, byteCount: size)
    places[link] = place
    byteCount += size
    linkAsNewest(place)
  }

  private mutating func remove(at place: Int) {
    guard let slot = slots[place] else { return }
    unlink(place)
    places[slot.link] = nil
    byteCount -= slot.byteCount
    slots[place] = nil
    free.append(place)
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
