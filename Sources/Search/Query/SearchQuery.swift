/// The words that a search looks for, all of which must occur.
package struct SearchQuery: Sendable, Hashable {
  /// Units that must occur next to one another.
  struct Term: Sendable, Hashable {
    var units: [TextUnit]
    /// Whether the last unit is a word that others may begin with.
    var endsOpen = false
  }

  private(set) var terms: [Term]

  /// Parses a query.
  ///
  /// Quotes enclose a phrase; one without an end reaches to the end of the query. Everything else that is
  /// not a letter, a digit or an emoji separates words. The last word also matches longer words, unless it
  /// is in a closed phrase.
  ///
  /// - Parameter isExact: Whether the whole query is a phrase of whole words.
  package init(_ text: String, isExact: Bool = false) {
    if isExact {
      let units = TextUnit.all(in: text)
      terms = units.isEmpty ? [] : [Term(units: units)]
      return
    }
    terms = []
    let parts = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0.isQuote }
    for (index, part) in parts.enumerated() {
      let units = TextUnit.all(in: String(String.UnicodeScalarView(part)))
      guard !units.isEmpty else { continue }
      let isLast = index == parts.count - 1
      if index.isMultiple(of: 2) {
        terms += units.map { Term(units: [$0]) }
        if isLast { terms[terms.count - 1].endsOpen = true }
      } else {
        terms.append(Term(units: units, endsOpen: isLast))
      }
    }
  }

  /// Whether there is nothing to look for.
  package var isEmpty: Bool { terms.isEmpty }
}

extension Unicode.Scalar {
  fileprivate var isQuote: Bool {
    switch self {
    case "\"", "\u{201C}", "\u{201D}", "\u{FF02}": true
    default: false
    }
  }
}
