/// Which channels to list, newest first.
package struct ChannelQuery: Sendable, Hashable {
  /// Part of the name, ignoring case (in Unicode's sense, independent of language).
  package var nameContains: String?
  /// Part of the URL, case-sensitive.
  package var urlContains: String?
  /// Any of these; empty for all.
  package var customTypes: [String]
  /// Any of these; empty for all.
  package var urls: [String]
  package var freezing: Freezing
  /// 1 to 100.
  package var limit: Int
  /// The token of the page; `nil` or empty for the first page.
  package var token: String?

  /// Which channels to show with regard to freezing.
  package enum Freezing: UInt8, Sendable {
    case any
    case unfrozen
  }

  package init(
    nameContains: String? = nil, urlContains: String? = nil, customTypes: [String] = [],
    urls: [String] = [], freezing: Freezing = .any, limit: Int = 10, token: String? = nil
  ) {
    self.nameContains = nameContains
    self.urlContains = urlContains
    self.customTypes = customTypes
    self.urls = urls
    self.freezing = freezing
    self.limit = limit
    self.token = token
  }
}
