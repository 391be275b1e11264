import LinkPreview

/// Entries on their way to the file, the last one for each link; what does not fit never gets there.
struct UnwrittenPreviews {
  private var entries: [Link: PreviewEntry] = [:]
  private var byteCount = 0

  static let maximumCount = 2_000
  static let maximumBytes = 8 << 20

  /// The entry for a link, if it is on its way.
  subscript(_ link: Link) -> PreviewEntry? { entries[link] }

  /// Whether there is room for as much again.
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

  /// Empties it.
  mutating func take() -> [PreviewEntry] {
    defer { self = UnwrittenPreviews() }
    return Array(entries.values)
  }
}
