/// The consequence of a word that a filter finds (`type` on the wire).
package enum WordFilterKind: Int64, Sendable, CaseIterable {
  /// The filter is off; its words are kept.
  case none = 0
  /// Each character of the word becomes an asterisk.
  case replace = 1
  /// The message is refused.
  case block = 2
}

/// The words that messages of users may not contain.
///
/// A word may begin or end with `*`, which stands for any characters of the same word.
package struct WordFilterRules: Sendable, Hashable {
  package var keywords: [String]
  package var kind: WordFilterKind

  package init(keywords: [String] = [], kind: WordFilterKind = .none) {
    self.keywords = keywords
    self.kind = kind
  }
}
