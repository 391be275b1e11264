/// The open square brackets at a position of a text, and the link found in them.
///
/// In `[https://shown.com](https://target.com)` the click goes to the target, so a link between
/// brackets is held until they are closed. Constant in size: brackets nested more than 64 deep lose
/// the information whether they belong to images.
struct OpenBrackets {
  /// The kind of a closed pair of brackets.
  enum Closing {
    /// No bracket was open.
    case nothing
    /// A bracket opened before the held link, or while there is none.
    case enclosing
    /// A bracket opened after the held link.
    case later
  }

  private(set) var depth = 0
  /// A bit for each bracket, the innermost lowest: whether a `!` precedes it.
  private var images: UInt64 = 0
  private var held: (url: WebURL, depth: Int)?
  /// Whether the outermost bracket is the first character of its line.
  private(set) var beginsLine = false

  var isHolding: Bool { held != nil }

  mutating func open(at index: Int, in text: LinkText) {
    if depth == 0 { beginsLine = index == 0 || text[index - 1] == "\n" }
    depth += 1
    images = images << 1 | (text[index - 1] == "!" ? 1 : 0)
  }

  /// Closes the innermost bracket, and returns its kind.
  mutating func close() -> (closing: Closing, isImage: Bool) {
    guard depth > 0 else { return (.nothing, false) }
    let isImage = images & 1 == 1
    images >>= 1
    defer { depth -= 1 }
    guard let held, depth > held.depth else { return (.enclosing, isImage) }
    return (.later, isImage)
  }

  /// Holds `url` until the destination of a click on it is known.
  mutating func hold(_ url: WebURL) { if held == nil { held = (url, depth) } }

  /// Drops the held link, since its brackets link to another page.
  mutating func dropHeld() { held = nil }

  /// Returns the held link once no bracket around it is open.
  mutating func release() -> WebURL? {
    guard let held else { return nil }
    guard depth > 0 else {
      self.held = nil
      return held.url
    }
    self.held = (held.url, min(held.depth, depth))
    return nil
  }

  /// Clears all brackets, as at the end of a paragraph, and returns the held link.
  mutating func reset() -> WebURL? {
    defer { self = OpenBrackets() }
    return held?.url
  }
}

/// The destination of a Markdown link: the parentheses of `[text](https://a.com "title")`
/// (CommonMark §6.3).
struct MarkdownDestination {
  /// `nil` if the link does not go to a web page.
  let url: WebURL?
  /// The position after the closing parenthesis.
  let end: Int

  /// - Parameter start: The expected position of the opening parenthesis.
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

  /// Returns the destination without its angle brackets, and the position after them.
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

  /// Limits repeated parsing of texts like `[](a[](a`, whose brackets are never closed.
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

/// Finds the ends of code spans: a run of backticks is closed by the next one of the same length
/// (CommonMark §6.1).
///
/// Runs of one and two are closed within their paragraph. Longer runs, which users write to open a
/// block after a word, are closed anywhere.
struct CodeSpans {
  private static let longestRun = 64

  /// The position up to which no closing run exists, for each run length: prevents repeated futile
  /// searches.
  private var searched = [Int](repeating: 0, count: Self.longestRun + 1)

  /// Returns the end of the code span opened by the run at `start`, or of the run itself if it is
  /// not closed.
  mutating func end(ofRunAt start: Int, in text: LinkText) -> Int {
    let runEnd = text.end(from: start) { $0 == "`" }
    let length = runEnd - start
    guard length <= Self.longestRun, searched[length] <= start else { return runEnd }
    var index = runEnd
    while index < text.count {
      if text[index] == "`" {
        let end = text.end(from: index) { $0 == "`" }
        if end - index == length { return end }
        index = end
      } else if length < 3, text[index] == "\n", Paragraphs.end(at: index, in: text) {
        break
      } else {
        index += 1
      }
    }
    searched[length] = index
    return runEnd
  }
}

/// The opening line of a fenced code block: three or more backticks or tildes (CommonMark §4.5).
///
/// Indented code is not recognized: in a chat, spaces at the start of a line are spaces.
struct CodeFence {
  private let marker: Unicode.Scalar
  private let length: Int
  private let end: Int

  /// Parses the fence in the line that starts at `line`.
  init?(atLine line: Int, in text: LinkText) {
    let start = text.end(from: line) { $0 == " " }
    guard start - line <= 3, let marker = text[start], marker == "`" || marker == "~" else {
      return nil
    }
    end = text.end(from: start) { $0 == marker }
    length = end - start
    self.marker = marker
    guard length >= 3 else { return nil }
    let infoEnd = text.end(from: end) { $0 != "\n" && ($0 != "`" || marker == "~") }
    guard text[infoEnd] != "`" else { return nil }
  }

  /// Returns the start of the line after the block, or the end of the text.
  func blockEnd(in text: LinkText) -> Int {
    var line = nextLine(after: end, in: text)
    while line < text.count {
      let isClosing = closes(atLine: line, in: text)
      line = nextLine(after: line, in: text)
      if isClosing { break }
    }
    return line
  }

  private func closes(atLine line: Int, in text: LinkText) -> Bool {
    let start = text.end(from: line) { $0 == " " }
    let end = text.end(from: start) { $0 == marker }
    let rest = text.end(from: end, while: \.isBlank)
    return start - line <= 3 && end - start >= length && (rest == text.count || text[rest] == "\n")
  }

  private func nextLine(after index: Int, in text: LinkText) -> Int {
    min(text.count, text.end(from: index) { $0 != "\n" } + 1)
  }
}

/// Finds the ends of paragraphs, which only code blocks can cross.
enum Paragraphs {
  /// Returns whether the line break at `index` ends a paragraph: a blank line or a code block follows.
  static func end(at index: Int, in text: LinkText) -> Bool {
    let next = text.end(from: index + 1, while: \.isBlank)
    return next >= text.count || text[next] == "\n"
      || CodeFence(atLine: index + 1, in: text) != nil
  }
}
