package import ParleyProtocol

/// A keyword without its asterisks, folded.
struct FilteredWord: Hashable {
  let scalars: [UInt32]
  /// Whether the word may go on before and after it.
  let (isOpenBefore, isOpenAfter): (Bool, Bool)

  /// - Returns: `nil` for a keyword without a character that is compared, or with `*` inside.
  init?(_ keyword: String) {
    var text = keyword[...]
    isOpenBefore = text.first == "*"
    if isOpenBefore { text.removeFirst() }
    isOpenAfter = text.last == "*"
    if isOpenAfter { text.removeLast() }
    scalars = FoldedMessage(String(text)).scalars
    guard !scalars.isEmpty, !scalars.contains(UInt32(UInt8(ascii: "*"))) else { return nil }
  }
}

extension Fields {
  /// `keywords` of a word filter: up to 500, each once.
  ///
  /// - Throws: 400111 for a keyword without characters that are compared, or with `*` inside.
  package func filterKeywords() throws(ServiceError) -> [String]? {
    let keywords = try texts(
      "keywords", countLimit: Limits.filterKeywordCount, limit: Limits.filterKeywordLength)
    guard let keywords else { return nil }
    for keyword in keywords where FilteredWord(keyword) == nil {
      throw .invalid(
        "keywords", keyword, expected: "a word, with '*' only at its beginning or its end")
    }
    return keywords
  }
}

/// The rules of word filters that are set for more than one channel.
///
/// Rules of a custom type replace those of the deployment.
package struct WordFilterSet: Sendable, Hashable {
  package var deployment: WordFilterRules?
  package var customTypes: [String: WordFilterRules] = [:]

  package init() {}
}
