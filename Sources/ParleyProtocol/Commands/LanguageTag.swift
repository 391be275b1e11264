/// The form of the language tags that name translations: `es`, `pt-BR`, `zh-Hant`.
package enum LanguageTag {
  /// Refuses a text that is not formed like a tag of RFC 5646: subtags of 1 to 8 letters or digits
  /// between hyphens, the first of 2 to 8 letters.
  package static func check(_ tag: String, _ field: String) throws(ServiceError) {
    let subtags = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard let language = subtags.first, (2...8).contains(language.count),
      language.allSatisfy(isLetter),
      subtags.dropFirst().allSatisfy({ subtag in
        (1...8).contains(subtag.count) && subtag.allSatisfy { isLetter($0) || isDigit($0) }
      })
    else { throw .invalid(field, tag, expected: "a language tag such as es or pt-BR") }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension Fields {
  /// Languages to translate to, if given: at most 10 tags, each once whatever its case.
  package func languages(_ name: String) throws(ServiceError) -> [String]? {
    let texts = try texts(
      name, countLimit: Limits.languageCount, limit: Limits.languageTagLength)
    guard let texts else { return nil }
    var tags: [String] = []
    for tag in texts {
      try LanguageTag.check(tag, name)
      if !tags.contains(where: { $0.lowercased() == tag.lowercased() }) { tags.append(tag) }
    }
    return tags
  }
}
