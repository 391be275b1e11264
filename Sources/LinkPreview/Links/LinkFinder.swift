/// Finds the links that a reader would recognize in a text, in reading order.
///
/// There are two kinds of links: text that starts with `http://` or `https://`, and bare names such
/// as `sendbird.com` whose last label is a top-level domain. Markdown is interpreted as in chats:
/// code contains no links, and `[text](https://a.com)` links to its destination. The time is linear
/// in the length of the text.
package struct LinkFinder {
  /// Returns the page that the first link of a text points to; `nil` if there is none.
  package static func firstLink(in text: String) -> Link? { firstURL(in: text).map { Link($0) } }

  /// Returns the first link of a text in reading order, with its fragment; `nil` if there is none.
  package static func firstURL(in text: String) -> WebURL? {
    var finder = LinkFinder(text)
    return finder?.next()
  }

  /// The number of candidates, links or not, after which the search stops.
  private static let maximumCandidates = 64

  private let text: LinkText
  private var position = 0
  private var candidates = 0
  private var brackets = OpenBrackets()
  private var codeSpans = CodeSpans()

  /// - Returns: `nil` for a text in which one pass over its bytes finds no possible link.
  package init?(_ text: String) {
    guard LinkHint.isGiven(by: text) else { return nil }
    self.text = LinkText(Array(text.unicodeScalars))
    skipCodeBlocks()
  }

  /// Returns the URL of the next link, with its fragment.
  package mutating func next() -> WebURL? {
    while position < text.count, candidates < Self.maximumCandidates {
      if let url = step() { return url }
    }
    return brackets.reset()
  }

  /// Parses the text at the position, and returns the link when it is certain.
  private mutating func step() -> WebURL? {
    let scalar = text.scalars[position]
    switch scalar {
    case "\n": return endLine()
    case "\\": position += text[position + 1]?.isASCIIPunctuation == true ? 2 : 1
    case "`": position = codeSpans.end(ofRunAt: position, in: text)
    case "<": return readAngleBracket()
    case "[":
      brackets.open(at: position, in: text)
      position += 1
    case "]": return closeBracket()
    default:
      if scalar.isHostScalar, scalar != "-" { return readWord() }
      position += 1
    }
    return nil
  }

  private mutating func endLine() -> WebURL? {
    let endsParagraph = Paragraphs.end(at: position, in: text)
    position += 1
    guard endsParagraph else { return nil }
    skipCodeBlocks()
    return brackets.reset()
  }

  private mutating func skipCodeBlocks() {
    while let fence = CodeFence(atLine: position, in: text) {
      position = fence.blockEnd(in: text)
    }
  }

  private mutating func readAngleBracket() -> WebURL? {
    guard let reading = AngleLink.read(at: position, in: text) else {
      position += 1
      return nil
    }
    return take(reading)
  }

  private mutating func closeBracket() -> WebURL? {
    let (closing, isImage) = brackets.close()
    position += 1
    if closing != .nothing, let destination = MarkdownDestination(at: position, in: text) {
      position = destination.end
      // Links do not nest, so the brackets around this one are not the text of another link.
      if closing == .later { return isImage ? nil : brackets.reset() }
      brackets.dropHeld()
      if let url = destination.url { return isImage ? admit(url) : url }
    } else if brackets.isHolding, isDefinition {
      brackets.dropHeld()
    }
    return brackets.release()
  }

  /// Whether the closed bracket is the label of `[id]: https://a.com`.
  private var isDefinition: Bool {
    guard brackets.depth == 0, brackets.beginsLine, text[position] == ":" else { return false }
    var target = text.end(from: position + 1, while: \.isBlank)
    if text[target] == "<" { target += 1 }
    return text.webSchemeEnd(at: target) != nil
  }

  private mutating func readWord() -> WebURL? {
    let word = position..<NameRun.end(from: position, in: text)
    position = max(word.upperBound, word.lowerBound + 1)
    if brackets.isHolding { return nil }
    guard let reading = WordLink.read(word, in: text) else { return nil }
    candidates += 1
    return take(reading)
  }

  private mutating func take(_ reading: LinkReading) -> WebURL? {
    position = max(reading.end, position)
    return reading.url.flatMap { admit($0) }
  }

  /// Returns the link immediately, unless brackets around it may become the text of another link.
  private mutating func admit(_ url: WebURL) -> WebURL? {
    guard brackets.depth > 0 else { return url }
    brackets.hold(url)
    return nil
  }
}

/// Determines in one pass over the bytes of a text whether it may contain a link.
enum LinkHint {
  /// Returns whether there is a dot between two words, or a slash after a colon.
  static func isGiven(by text: String) -> Bool {
    var window: UInt32 = 0x2020_2020
    for byte in text.utf8 {
      window = window << 8 | UInt32(byte)
      if isHint(window) { return true }
    }
    return false
  }

  /// - Parameter window: The last four bytes, the latest in the lowest position.
  private static func isHint(_ window: UInt32) -> Bool {
    let last = UInt8(truncatingIfNeeded: window)
    switch UInt8(truncatingIfNeeded: window >> 8) {
    case UInt8(ascii: "."):
      let before = UInt8(truncatingIfNeeded: window >> 16)
      // No top-level domain consists of digits, as in a number.
      return isOfWord(last) && !last.isASCIIDigit && isOfWord(before)
    case UInt8(ascii: ":"): return last == UInt8(ascii: "/")
    // The three-byte forms of U+FF0E and U+FF61, and of U+3002 after an ASCII letter.
    case 0xbc: return window & 0xff_ffff == 0xef_bc8e
    case 0xbd: return window & 0xff_ffff == 0xef_bda1
    case 0x80:
      return window & 0xff_ffff == 0xe3_8082 && UInt8(window >> 24).isASCIIAlphanumeric
    default: return false
    }
  }

  private static func isOfWord(_ byte: UInt8) -> Bool { byte >= 0x80 || byte.isASCIIAlphanumeric }
}

/// The result of parsing a text at one position.
struct LinkReading {
  /// `nil` for text that is not a link and contains none.
  let url: WebURL?
  /// The position to continue from.
  let end: Int
}
