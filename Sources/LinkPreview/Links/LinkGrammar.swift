import Basics

/// Parses links that start with a word: a scheme and its URL, or a bare name.
enum WordLink {
  /// Parses the link that the host scalars and dots of `word` start; `nil` if it is only a word.
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

  /// Returns the start of the `http` or `https` at the end of `word`.
  ///
  /// It may follow a word of another script or a full stop without a space, but not be a part of
  /// another scheme such as `git+https`.
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

  /// Returns whether `word` and a colon start a URL that has no host, as in `mailto:me@a.com`.
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

  /// Returns whether `word` is the host of `git@a.com:path`, where the path may look like a name.
  private static func isMailHost(_ word: Range<Int>, in text: LinkText) -> Bool {
    guard text[word.lowerBound - 1] == "@", let next = text[word.upperBound] else { return false }
    return next == ":" || next == "/"
  }
}

/// Parses links that start with `http://` or `https://`.
enum SchemeLink {
  /// Parses the link whose scheme starts at `start` and whose host starts at `hostStart`.
  static func read(from start: Int, host hostStart: Int, in text: LinkText) -> LinkReading {
    // `http://http://a.com`
    if text.webSchemeEnd(at: hostStart) != nil { return LinkReading(url: nil, end: hostStart) }
    let hostEnd = LinkAuthority.hostEnd(from: hostStart, in: text)
    let refusal = LinkReading(
      url: nil, end: LinkRun.end(in: text, from: hostEnd, startOfLink: start))
    guard !LinkAuthority.hasUserinfo(from: hostStart, in: text) else { return refusal }
    if let end = LinkAuthority.signedHostEnd(from: hostStart, hostEnd: hostEnd, in: text) {
      return read(start..<LinkTail.end(afterHost: end, startOfLink: start, in: text), in: text)
        ?? refusal
    }
    guard hostEnd > hostStart else { return refusal }
    if let end = LinkAuthority.unreadableNameEnd(from: hostStart..<hostEnd, in: text) {
      return LinkReading(url: nil, end: LinkRun.end(in: text, from: end, startOfLink: start))
    }
    let nameEnd = nameEnd(hostStart..<hostEnd, in: text)
    let end =
      nameEnd < hostEnd
      ? nameEnd : LinkTail.end(afterHost: hostEnd, startOfLink: start, in: text)
    return read(start..<end, in: text) ?? refusal
  }

  private static func read(_ link: Range<Int>, in text: LinkText) -> LinkReading? {
    WebURL(text.string(link)).map { LinkReading(url: $0, end: link.upperBound) }
  }

  /// Returns the end of a host that a word follows without a space, as in `https://a.com입니다`.
  ///
  /// Such a name ends where the word starts, if it is a valid name and the whole is not.
  private static func nameEnd(_ host: Range<Int>, in text: LinkText) -> Int {
    let hasForeign = text.scalars[host].contains(where: \.isForeignToLatin)
    let isFollowedByRest = text[host.upperBound].map { $0.beginsRest || $0 == ":" } ?? false
    guard hasForeign || !isFollowedByRest else { return host.upperBound }
    if let (_, end) = NameRun.known(in: host, of: text) { return end }
    let latin = text.end(from: host.lowerBound) { !$0.isForeignToLatin }
    let isWhole =
      latin > host.lowerBound && latin < host.upperBound
      && isHost(text.string(host.lowerBound..<latin))
    return isWhole ? latin : host.upperBound
  }

  /// Whether a name other than a bare name is a host: `localhost`, `127.0.0.1`, `Example.Com`.
  private static func isHost(_ name: String) -> Bool {
    switch Host(parsing: Array(name.utf8)[...]) {
    case .name("localhost")?, .address?: true
    case .name(let name)?:
      name.lastIndex(of: ".").map {
        DomainName.isPublicSuffix(String(name[name.index(after: $0)...]))
      } ?? false
    case nil: false
    }
  }
}

/// Parses names in a text without a scheme, such as `sendbird.com/docs`.
///
/// The scheme is http, which every site answers: sites that require https redirect.
enum BareLink {
  /// Returns the link in a run of host scalars and dots; `nil` if there is none.
  static func read(_ run: Range<Int>, in text: LinkText) -> LinkReading? {
    let start = NameRun.nameStart(in: run, of: text)
    guard start > run.lowerBound || mayBegin(at: start, in: text),
      let (name, nameEnd) = NameRun.known(in: start..<run.upperBound, of: text)
    else { return nil }
    // Only a word attached to the name can follow it.
    guard nameEnd == run.upperBound else {
      return name.isSite(followedBy: nil) ? link(start..<nameEnd, in: text) : nil
    }
    guard name.isSite(followedBy: text[nameEnd]) else { return nil }
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

  /// Returns the URL if `text` is a bare link from its first to its last scalar.
  static func whole(_ text: LinkText) -> WebURL? {
    let nameEnd = NameRun.end(from: 0, in: text)
    guard let name = BareName(0..<nameEnd, in: text), name.isSite(followedBy: text[nameEnd])
    else { return nil }
    let portEnd =
      text[nameEnd] == ":" ? text.end(from: nameEnd + 1, while: \.isASCIIDigit) : nameEnd
    guard portEnd == text.count || text[portEnd]?.beginsRest == true else { return nil }
    return WebURL("http://" + text.string(0..<text.count))
  }

  /// Returns whether a name may start at `index`: not in a path, an address or a variable.
  private static func mayBegin(at index: Int, in text: LinkText) -> Bool {
    guard let previous = text[index - 1] else { return true }
    switch previous {
    case "_", "~", "\u{ad}", "\u{2060}":
      // Emphasis, or a character that joins the parts of a word, unless a word precedes it.
      var before = index - 1
      while text[before] == previous { before -= 1 }
      return text[before].map { !$0.isHostScalar && !$0.joinsWords } ?? true
    case "\\":
      return text[index - 2].map { !$0.isHostScalar && !$0.joinsWords && $0 != ":" } ?? true
    case ".": return text[index - 2] == "." && text[index - 3] == "."
    default: return !previous.joinsWords
    }
  }

  /// Returns whether the text after a name excludes it: an e-mail address, a call, a variable.
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

/// Parses links between angle brackets: `<https://a.com/x(y>`, `<https://a.com|label>`.
///
/// Mentions and addresses in brackets, such as `<mailto:me@a.com|me@a.com>`, are skipped
/// completely, so that no link is found in them.
enum AngleLink {
  /// Parses the link that the bracket at `start` opens; `nil` if it is only a character.
  static func read(at start: Int, in text: LinkText) -> LinkReading? {
    let contentEnd = text.end(from: start + 1) {
      $0 != "<" && $0 != ">" && $0 != "|" && !$0.isWhitespace
    }
    guard let close = closingBracket(from: contentEnd, in: text) else { return nil }
    let content = LinkText(Array(text.scalars[(start + 1)..<contentEnd]))
    let url = WholeLink.url(content)
    guard url != nil || hidesLinks(content) else { return nil }
    return LinkReading(url: url, end: close + 1)
  }

  /// A label may follow a bar; it ends on the same line.
  private static func closingBracket(from index: Int, in text: LinkText) -> Int? {
    var close = index
    if text[close] == "|" {
      close = text.end(from: close) { $0 != "<" && $0 != ">" && $0 != "\n" }
    }
    return text[close] == ">" ? close : nil
  }

  private static func hidesLinks(_ content: LinkText) -> Bool {
    switch content[0] {
    case "@", "#", "!": return true
    default: break
    }
    let name = content.end(from: 0) {
      $0.isASCIIAlphanumeric || $0 == "+" || $0 == "-" || $0 == "."
    }
    if name > 0, content[name] == ":" { return true }
    let path = content.end(from: 0) { $0 != "/" }
    return content.scalars[..<path].contains("@")
  }
}

/// Parses a delimited text, which is either entirely a link or not a link.
enum WholeLink {
  /// Returns the URL of `text`: an absolute one, or a bare name with what may follow it.
  ///
  /// A text with spaces, control characters or backslashes is not a URL.
  static func url(_ text: LinkText) -> WebURL? {
    guard text.count <= 4 * WebURL.maximumLength,
      !text.scalars.contains(where: { $0.isWhitespace || $0 == "\\" || $0.value == 0x7f })
    else { return nil }
    guard let host = text.webSchemeEnd(at: 0) else { return BareLink.whole(text) }
    return host < text.count && text[host] != "/" ? WebURL(text.string(0..<text.count)) : nil
  }
}
