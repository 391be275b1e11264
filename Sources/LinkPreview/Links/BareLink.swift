/// Reads names that stand in a text without a scheme, such as `sendbird.com/docs`.
///
/// They are taken for http, which every site answers: those that want https send there.
enum BareLink {
  /// The link in a run of host scalars and dots, `nil` when there is none.
  static func read(_ run: Range<Int>, in text: LinkText) -> LinkReading? {
    let start = NameRun.nameStart(in: run, of: text)
    guard start > run.lowerBound || mayBegin(at: start, in: text),
      let (name, nameEnd) = NameRun.known(in: start..<run.upperBound, of: text)
    else { return nil }
    // A word that is glued to the name is all that can follow it.
    guard nameEnd == run.upperBound else {
      return name.looksLikeFile(followedBy: nil) ? nil : link(start..<nameEnd, in: text)
    }
    guard !name.looksLikeFile(followedBy: text[nameEnd]) else { return nil }
    guard !forbids(text, at: nameEnd), !hasPassword(from: nameEnd, in: text) else {
      return LinkReading(url: nil, end: LinkRun.end(in: text, from: nameEnd, startOfLink: start))
    }
    return link(start..<LinkTail.end(afterHost: nameEnd, startOfLink: start, in: text), in: text)
  }

  private static func link(_ range: Range<Int>, in text: LinkText) -> LinkReading {
    LinkReading(url: WebURL("http://" + text.string(range)), end: range.upperBound)
  }

  private static func hasPassword(from index: Int, in text: LinkText) -> Bool {
    text[index] == ":" && LinkAuthority.hasUserinfo(from: index, in: text)
  }

  /// The URL when `text` is a bare link from its first to its last scalar.
  static func whole(_ text: LinkText) -> WebURL? {
    let nameEnd = NameRun.end(from: 0, in: text)
    guard let name = BareName(0..<nameEnd, in: text), !name.looksLikeFile(followedBy: text[nameEnd])
    else { return nil }
    let portEnd =
      text[nameEnd] == ":" ? text.end(from: nameEnd + 1, while: \.isASCIIDigit) : nameEnd
    guard portEnd == text.count || text[portEnd]?.beginsRest == true else { return nil }
    return WebURL("http://" + text.string(0..<text.count))
  }

  /// Whether a name may begin at `index`: not in a path, an address or a variable.
  private static func mayBegin(at index: Int, in text: LinkText) -> Bool {
    guard let previous = text[index - 1] else { return true }
    switch previous {
    case "_", "~":
      // Emphasis, unless a word stands before it.
      var before = index - 1
      while text[before] == previous { before -= 1 }
      return text[before].map { !$0.isHostScalar && !$0.joinsWords } ?? true
    case "\\":
      return text[index - 2].map { !$0.isHostScalar && !$0.joinsWords && $0 != ":" } ?? true
    case ".": return text[index - 2] == "." && text[index - 3] == "."
    default: return !previous.joinsWords
    }
  }

  /// Whether what follows a name says that it was none: an e-mail address, a call, a variable.
  private static func forbids(_ text: LinkText, at index: Int) -> Bool {
    switch text[index] {
    case "@", "\\", "=", "$", "%", "+": true
    case "_": text[index + 1]?.isHostScalar == true
    case "(": text[index + 1].map { $0.isASCII && !$0.isWhitespace } == true
    case ":": text[index + 1] == ":"
    default: false
    }
  }
}
