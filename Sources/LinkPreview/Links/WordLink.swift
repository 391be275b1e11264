/// Reads what begins with a word: a scheme and its URL, or a bare name.
enum WordLink {
  /// What the host scalars and dots of `word` begin, `nil` when it is only a word.
  static func read(_ word: Range<Int>, in text: LinkText) -> LinkReading? {
    if text.isSchemeEnd(word.upperBound) {
      guard let start = webSchemeStart(in: word, of: text) else { return passOver(word, in: text) }
      return SchemeLink.read(from: start, host: word.upperBound + 3, in: text)
    }
    if isOpaqueScheme(word, in: text) || isMailHost(word, in: text) {
      return passOver(word, in: text)
    }
    return BareLink.read(word, in: text)
  }

  /// Where `http` or `https` begins with which `word` ends: also behind a word of another script
  /// or a full stop without a space, but not as a part of another scheme such as `git+https`.
  private static func webSchemeStart(in word: Range<Int>, of text: LinkText) -> Int? {
    for length in [5, 4] where word.count >= length {
      let start = word.upperBound - length
      guard text.isWebScheme(start..<word.upperBound) else { continue }
      let isPart = text[start - 1].map { $0.isASCIIAlphanumeric || $0 == "+" || $0 == "@" }
      return isPart == true ? nil : start
    }
    return nil
  }

  private static func passOver(_ word: Range<Int>, in text: LinkText) -> LinkReading {
    LinkReading(
      url: nil, end: LinkRun.end(in: text, from: word.upperBound, startOfLink: word.lowerBound))
  }

  /// Whether `word` and a colon begin a URL that has no host, as in `mailto:me@a.com`.
  private static func isOpaqueScheme(_ word: Range<Int>, in text: LinkText) -> Bool {
    guard word.count <= 12, text[word.upperBound] == ":",
      text[word.upperBound + 1].map({ !$0.isWhitespace }) == true
    else { return false }
    return opaqueSchemes.contains(text.string(word).lowercased())
  }

  private static let opaqueSchemes: Set<String> = [
    "bitcoin", "blob", "callto", "cid", "data", "javascript", "magnet", "mailto", "sip", "sips",
    "sms", "tel", "urn", "vbscript", "view-source", "xmpp",
  ]

  /// Whether `word` is the host of `git@a.com:path`, where the path may look like a name.
  private static func isMailHost(_ word: Range<Int>, in text: LinkText) -> Bool {
    guard text[word.lowerBound - 1] == "@", let next = text[word.upperBound] else { return false }
    return next == ":" || next == "/"
  }
}
