/// The range of a text that may be one URL.
///
/// It ends at a closing bracket without an opening one in it: `(see https://a.com/x)`, and at an
/// apostrophe that quotes it: `'https://a.com/x','b'`. Wide parentheses belong to it if they are
/// opened and closed inside: `https://a.com/苹果（公司）`.
struct LinkRun {
  private var openRound = 0
  private var openSquare = 0
  private var openCurly = 0
  private var openWide = 0
  private var isInQuery = false
  private let quote: Unicode.Scalar?

  private init(quote: Unicode.Scalar?) { self.quote = quote }

  /// Returns the end of the run that starts at `start`, continuing from `index`.
  ///
  /// - Parameter start: The start of the link; the character before it may be a quote.
  static func end(in text: LinkText, from index: Int, startOfLink start: Int) -> Int {
    var run = LinkRun(quote: text[start - 1] == "'" ? "'" : nil)
    var end = index
    var previous = text[index - 1] ?? " "
    while let scalar = text[end],
      scalar.mayStandInURL(after: previous) || run.isSeparator(scalar, before: text[end + 1])
        || run.isInside(scalar, at: end, in: text),
      run.admits(scalar)
    {
      previous = scalar
      end += 1
    }
    return end
  }

  private mutating func admits(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "(": openRound += 1
    case "[": openSquare += 1
    case ")": openRound -= 1
    case "]": openSquare -= 1
    case "{": openCurly += 1
    case "}": openCurly -= 1
    case "（": openWide += 1
    case "）": openWide -= 1
    case "?": isInQuery = true
    default: return scalar != quote
    }
    return openRound >= 0 && openSquare >= 0 && openCurly >= 0
  }

  /// Returns whether a sign that normally ends links is inside of a word here: `らき☆すた`, `L’Équipe`.
  private func isInside(_ scalar: Unicode.Scalar, at index: Int, in text: LinkText) -> Bool {
    guard let previous = text[index - 1], previous.isHostScalar else { return false }
    switch scalar {
    case "（": return !previous.isASCII && Self.isClosed(at: index, in: text)
    case "）": return openWide > 0
    default: break
    }
    guard let next = text[index + 1], next.isHostScalar, !next.isPictorial else { return false }
    if scalar == "\u{2019}" { return !Contraction.follows(index, in: text) }
    return !previous.isASCII && !next.isASCII && scalar.standsInsideWords
  }

  /// Returns whether the parenthesis at `start` is closed in the same word, within a title's length.
  private static func isClosed(at start: Int, in text: LinkText) -> Bool {
    var index = start + 1
    while index - start <= longestParenthesis, let scalar = text[index] {
      if scalar == "）" { return index > start + 1 }
      guard scalar.mayStandInURL(after: "/") else { return false }
      index += 1
    }
    return false
  }

  private static let longestParenthesis = 64

  /// Returns whether a bar separates two values of a query, `?markers=size:mid|Seoul`; other bars
  /// belong to tables, labels and spoilers.
  private func isSeparator(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
    scalar == "|" && isInQuery && next.map { $0.isASCIIAlphanumeric || $0 == "%" } == true
  }
}

/// Parses the part of a link after its host: port, path, query and fragment.
enum LinkTail {
  /// Returns the end of a link whose host ends at `hostEnd`.
  static func end(afterHost hostEnd: Int, startOfLink start: Int, in text: LinkText) -> Int {
    let portEnd = portEnd(at: hostEnd, in: text)
    guard text[portEnd]?.beginsRest == true else {
      // A colon without digits belongs to the sentence.
      return text[portEnd - 1] == ":" ? hostEnd : portEnd
    }
    let runEnd = LinkRun.end(in: text, from: portEnd, startOfLink: start)
    let end = LinkEnd.trim(portEnd..<runEnd, startOfLink: start, in: text)
    return end == portEnd && text[portEnd - 1] == ":" ? hostEnd : end
  }

  private static func portEnd(at hostEnd: Int, in text: LinkText) -> Int {
    guard text[hostEnd] == ":" else { return hostEnd }
    return text.end(from: hostEnd + 1, while: \.isASCIIDigit)
  }
}

/// Finds the end of a link in a text: punctuation after it belongs to the sentence.
enum LinkEnd {
  /// Returns the end of `range` without particles, trailing punctuation, possessive `'s`, escaped
  /// characters such as `&amp;`, and marks of emphasis that starts before the link.
  static func trim(_ range: Range<Int>, startOfLink start: Int, in text: LinkText) -> Int {
    var end = GluedParticle.start(atEndOf: range, in: text) ?? range.upperBound
    var emphasis = OpenEmphasis(before: start, in: text)
    while end > range.lowerBound, let last = text[end - 1] {
      if last == ";" {
        end = max(range.lowerBound, characterReferenceStart(before: end - 1, in: text) ?? end - 1)
      } else if isPunctuation(last) || emphasis.contains(last) {
        end -= 1
      } else if last == "s", end - 2 >= range.lowerBound, text[end - 2] == "'" {
        end -= 2
      } else {
        break
      }
    }
    return end
  }

  /// Returns the position of the `&` of a character reference whose name ends at `end`.
  private static func characterReferenceStart(before end: Int, in text: LinkText) -> Int? {
    var index = end
    while end - index <= longestReference, let scalar = text[index - 1] {
      index -= 1
      if scalar == "&" { return end - index > 1 ? index : nil }
      guard scalar.isASCIIAlphanumeric || scalar == "#" else { return nil }
    }
    return nil
  }

  private static let longestReference = 32

  private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "?", "!", ".", ",", ":", "^", "'", "(", "[", "{", "\u{2013}": true
    default: scalar.isMiddleDot || scalar.isJoiner
    }
  }
}

/// Markdown emphasis that is open at the start of a link: `*https://a.com/x*`,
/// `_see https://a.com/x_`.
struct OpenEmphasis {
  /// The length of text before a link to search for the start of its emphasis.
  private static let longest = 1_024

  private let text: LinkText
  private let start: Int
  private var known: [Unicode.Scalar: Bool] = [:]

  /// - Parameter start: The start of the link.
  init(before start: Int, in text: LinkText) {
    self.start = start
    self.text = text
  }

  /// Returns whether a character is a mark of open emphasis.
  mutating func contains(_ mark: Unicode.Scalar) -> Bool {
    guard mark == "*" || mark == "_" || mark == "~" else { return false }
    if let isOpen = known[mark] { return isOpen }
    let isOpen = isOpen(mark)
    known[mark] = isOpen
    return isOpen
  }

  /// Emphasis starts with marks before a word, and ends with marks after a word or with its line.
  private func isOpen(_ mark: Unicode.Scalar) -> Bool {
    var index = lineStart
    var isOpen = false
    while index < start {
      let end = min(start, text.end(from: index) { $0 == mark })
      if end == index {
        index += 1
        continue
      }
      let previous = text[index - 1]
      if isOpen {
        isOpen = previous?.isWhitespace == true
      } else {
        isOpen =
          text[end]?.isWhitespace == false && previous?.isHostScalar != true && previous != "\\"
      }
      index = end
    }
    return isOpen
  }

  private var lineStart: Int {
    var line = start
    while line > 0, start - line < Self.longest, text[line - 1] != "\n" { line -= 1 }
    return line
  }
}

/// The English word ending after an apostrophe: `https://a.com/x’s`, `https://a.com/x’ll`.
enum Contraction {
  static func follows(_ apostrophe: Int, in text: LinkText) -> Bool {
    let start = apostrophe + 1
    let end = text.end(from: start) { $0.isASCIIAlphanumeric }
    if let next = text[end], next.isHostScalar { return false }
    return end - start <= 2 && all.contains(text.string(start..<end))
  }

  private static let all: Set<String> = ["d", "ll", "m", "re", "s", "t", "ve"]
}

/// A Korean or Japanese particle attached to the end of a path: `https://a.com/docs입니다`.
///
/// Paths also contain words of these scripts, so only the particles themselves, after an ASCII
/// character, count as part of the sentence.
enum GluedParticle {
  /// Returns the start of the particle at the end of `range`; `nil` if there is none.
  static func start(atEndOf range: Range<Int>, in text: LinkText) -> Int? {
    var start = range.upperBound
    while range.upperBound - start <= longest, start > range.lowerBound,
      let scalar = text[start - 1],
      !scalar.isASCII
    { start -= 1 }
    guard start > range.lowerBound, start < range.upperBound,
      all.contains(text.string(start..<range.upperBound))
    else { return nil }
    return start
  }

  private static let longest = 4

  private static let all: Set<String> = [
    "가", "과", "까지", "는", "도", "라고", "랑", "로", "를", "만", "부터", "에", "에서", "에는", "예요",
    "와", "으로", "은", "을", "의", "이", "이고", "이나", "이다", "이랑", "이며", "이에요", "인데",
    "임", "입니까", "입니다", "입니다만", "처럼",
    "が", "から", "だ", "で", "です", "ですか", "と", "に", "の", "は", "へ", "まで", "も", "より", "を",
  ]
}
