/// The settings of search.
package struct SearchSettings: Sendable, Equatable {
  package var mode = SearchMode.on
}

/// Whether messages can be searched.
package enum SearchMode: String, Sendable, CaseIterable {
  case on
  /// No index is kept up to date.
  case off
}
