import LinkPreview

/// Part of what is remembered, in the order of the links.
package struct PreviewPage: Sendable, Hashable {
  package var entries: [PreviewEntry]
  /// Where the next page begins; `nil` at the end.
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
