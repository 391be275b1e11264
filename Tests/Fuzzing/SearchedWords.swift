import Search

/// Divides any text into tokens and any query into terms, and expects that what a query finds in a text, an
/// index of its tokens finds too.
enum SearchedWordsHarness: Harness {
  static func run(_ input: [UInt8]) {
    let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let words = String(decoding: parts[0], as: UTF8.self)
    let text = SearchedText(
      text: parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : words)
    for token in text.tokens {
      precondition(!token.isEmpty && token.utf8.count <= 128, "a token has no bounds")
      precondition(
        token.utf8.allSatisfy {
          $0 >= 0x80 || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0)
        },
        "a token has syntax of an index")
    }
    for query in [SearchQuery(words), SearchQuery(words, isExact: true)] {
      let terms = query.indexTerms
      precondition(query.isEmpty == terms.isEmpty, "a query looks up nothing")
      guard query.matches(text) else { continue }
      precondition(query.score(text) > 0, "a match has no score")
      for term in terms {
        let isThere = text.tokens.contains {
          term.isPrefix ? $0.utf8.starts(with: term.token.utf8) : $0 == term.token
        }
        precondition(isThere, "the index misses a match")
      }
    }
  }
}
