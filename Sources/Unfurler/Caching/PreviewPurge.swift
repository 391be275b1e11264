import LinkPreview

/// How far a purge of the file has come.
struct PreviewPurge: Sendable {
  let scope: PreviewScope
  /// The links that memory has forgotten, which the file may know too.
  let recent: Set<Link>
  /// How many rows may still be removed; those that are stored meanwhile don't keep it going.
  private(set) var rowsLeft: Int
  /// How many links are forgotten.
  private(set) var count: Int

  init(scope: PreviewScope, recent: Set<Link>, rowsLeft: Int) {
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
