/// A token that a message in the index must have.
package struct IndexTerm: Sendable, Hashable {
  package var token: String
  /// Whether longer tokens that begin with it count too.
  package var isPrefix: Bool

  package init(token: String, isPrefix: Bool = false) {
    self.token = token
    self.isPrefix = isPrefix
  }

  fileprivate var isShort: Bool { token.utf8.count <= 5 }
}

extension SearchQuery {
  /// The maximum number of tokens that are looked up; the others are compared with the texts only.
  private static let indexTermLimit = 24

  /// The tokens to look up: each message that matches has all of them.
  package var indexTerms: [IndexTerm] {
    var found: [IndexTerm] = []
    for term in terms.flatMap(\.indexTerms) where found.count < Self.indexTermLimit {
      if !found.contains(term) { found.append(term) }
    }
    return found
  }

  /// Whether a large part of all messages may match: looking at the newest ones is then faster than an
  /// index.
  package var isBroad: Bool {
    indexTerms.allSatisfy { $0.isPrefix && $0.token.utf8.count == 1 }
  }
}

extension SearchQuery.Term {
  fileprivate var indexTerms: [IndexTerm] {
    var found: [IndexTerm] = []
    for (index, unit) in units.enumerated() {
      switch unit {
      case .word(let word):
        found.append(
          IndexTerm(
            token: IndexToken.word(word), isPrefix: endsOpen && index == units.count - 1))
      case .emoji(let emoji): found.append(IndexTerm(token: emoji))
      case .run(let run):
        if run.count == 1 {
          found.append(IndexTerm(token: String(run[0]), isPrefix: true))
        } else {
          found += IndexToken.pairs(of: run).map { IndexTerm(token: $0) }
        }
      }
    }
    return found
  }
}

extension [IndexTerm] {
  /// Whether a word is looked up that is short, as the most frequent ones are.
  package var hasShortWord: Bool { contains { $0.isShort } }

  /// Whether longer words are looked up by a short beginning.
  package var hasShortBeginning: Bool { contains { $0.isShort && $0.isPrefix } }

  /// An expression of SQLite's FTS5: messages with all tokens, in one of some places.
  ///
  /// - Parameter places: Empty for any.
  package func fullTextExpression(in places: [SearchPlace]) -> String {
    let terms = map { "\"\($0.token)\"" + ($0.isPrefix ? " *" : "") }
    guard !places.isEmpty else { return terms.joined(separator: " AND ") }
    let any = places.map { "\"\($0.token)\"" }.joined(separator: " OR ")
    return (terms + ["(\(any))"]).joined(separator: " AND ")
  }

  /// The same for PostgreSQL, as a `tsquery`.
  package func textSearchExpression(in places: [SearchPlace]) -> String {
    let terms = map { "'\($0.token)'" + ($0.isPrefix ? ":*" : "") }
    guard !places.isEmpty else { return terms.joined(separator: " & ") }
    let any = places.map { "'\($0.token)'" }.joined(separator: " | ")
    return (terms + ["(\(any))"]).joined(separator: " & ")
  }

  /// One of the tokens, for a quick comparison: that of the only channel, or else the longest.
  package func distinctivePart(in places: [SearchPlace]) -> String {
    if places.count == 1, case .channel = places[0] { return places[0].token }
    return map(\.token).max { $0.utf8.count < $1.utf8.count } ?? ""
  }
}
