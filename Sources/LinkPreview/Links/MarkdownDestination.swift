/// Where a Markdown link goes: what stands in the parentheses of `[text](https://a.com "title")`
/// (CommonMark §6.3).
struct MarkdownDestination {
  /// `nil` when the link goes to no page of the web.
  let url: WebURL?
  /// Behind the closing parenthesis.
  let end: Int

  /// - Parameter start: Where the opening parenthesis stands, or should.
  init?(at start: Int, in text: LinkText) {
    guard text[start] == "(" else { return nil }
    let first = text.end(from: start + 1, while: Self.isSpace)
    guard let (target, targetEnd) = Self.target(at: first, in: text) else { return nil }
    var close = text.end(from: targetEnd, while: Self.isSpace)
    if close > targetEnd, let titleEnd = Self.titleEnd(at: close, in: text) {
      close = text.end(from: titleEnd, while: Self.isSpace)
    }
    guard text[close] == ")" else { return nil }
    url = WholeLink.url(Self.unescape(text.scalars[target]))
    end = close + 1
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isBlank || scalar == "\n"
  }

  /// The destination without its angle brackets, and where it ends with them.
  private static func target(at start: Int, in text: LinkText) -> (Range<Int>, Int)? {
    if text[start] == "<" {
      let end = endSkippingEscapes(from: start + 1, in: text) {
        $0 != "<" && $0 != ">" && $0 != "\n"
      }
      return text[end] == ">" ? (start + 1..<end, end + 1) : nil
    }
    var depth = 0
    let end = endSkippingEscapes(from: start, in: text) { scalar in
      if scalar == "(" { depth += 1 }
      if scalar == ")" { depth -= 1 }
      return depth >= 0 && depth <= deepestNesting && !scalar.isWhitespace
    }
    return depth <= 0 ? (start..<end, end) : nil
  }

  /// Bounds how often a place is read again when texts like `[](a[](a` open and never close.
  private static let deepestNesting = 32

  private static func titleEnd(at start: Int, in text: LinkText) -> Int? {
    let close: Unicode.Scalar
    switch text[start] {
    case "\"": close = "\""
    case "'": close = "'"
    case "(": close = ")"
    default: return nil
    }
    let end = endSkippingEscapes(from: start + 1, in: text) {
      $0 != close && ($0 != "(" || close != ")")
    }
    return text[end] == close ? end + 1 : nil
  }

  private static func endSkippingEscapes(
    from start: Int, in text: LinkText, while condition: (Unicode.Scalar) -> Bool
  ) -> Int {
    var end = start
    while let scalar = text[end], condition(scalar) {
      let isEscape = scalar == "\\" && text[end + 1]?.isASCIIPunctuation == true
      end += isEscape ? 2 : 1
    }
    return end
  }

  private static func unescape(_ target: ArraySlice<Unicode.Scalar>) -> LinkText {
    var result: [Unicode.Scalar] = []
    var index = target.startIndex
    while index < target.endIndex {
      let next = index + 1
      if target[index] == "\\", next < target.endIndex, target[next].isASCIIPunctuation {
        index = next
      }
      result.append(target[index])
      index += 1
    }
    return LinkText(result)
  }
}
