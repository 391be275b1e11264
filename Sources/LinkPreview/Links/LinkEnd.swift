/// The stretch of a text that may be one URL.
///
/// A closing bracket that was not opened inside ends it: `(see https://a.com/x)`, and so does the
/// apostrophe that quotes it: `'https://a.com/x','b'`.
struct LinkRun {
  private var openRound = 0
  private var openSquare = 0
  private var openCurly = 0
  private var isInQuery = false
  private let quote: Unicode.Scalar?

  private init(quote: Unicode.Scalar?) { self.quote = quote }

  /// Returns the end of the run that begins at `start`, reading on from `index`.
  ///
  /// - Parameter start: The beginning of the link; the character before it may be a quote.
  static func end(in text: LinkText, from index: Int, startOfLink start: Int) -> Int {
    var run = LinkRun(quote: text[start - 1] == "'" ? "'" : nil)
    var end = index
    var previous = text[index - 1] ?? " "
    while let scalar = text[end],
      scalar.mayStandInURL(after: previous) || run.isSeparator(scalar, before: text[end + 1]),
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
    case "?": isInQuery = true
    default: return scalar != quote
    }
    return openRound >= 0 && openSquare >= 0 && openCurly >= 0
  }

  /// Whether a bar stands between two values of a query, `?markers=size:mid|Seoul`; elsewhere bars
  /// belong to tables, labels and spoilers.
  private func isSeparator(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
    scalar == "|" && isInQuery && next.map { $0.isASCIIAlphanumeric || $0 == "%" } == true
  }
}

/// Reads the part of a link after its host: port, path, query and fragment.
enum LinkTail {
  /// Returns the end of a link whose host ends at `hostEnd`.
  static func end(afterHost hostEnd: Int, startOfLink start: Int, in text: LinkText) -> Int {
    let portEnd = portEnd(at: hostEnd, in: text)
    guard text[portEnd]?.beginsRest == true else {
      // A colon without digits belongs to the sentence.
      return text[portEnd - 1] == ":" ? hostEnd : portEnd
    }
    let runEnd = LinkRun.end(in: text, from: portEnd, startOfLink: start)
    let end = LinkEnd.trim(portEnd..<runEnd, in: text)
    return end == portEnd && text[portEnd - 1] == ":" ? hostEnd : end
  }

  private static func portEnd(at hostEnd: Int, in text: LinkText) -> Int {
    guard text[hostEnd] == ":" else { return hostEnd }
    return text.end(from: hostEnd + 1, while: \.isASCIIDigit)
  }
}

/// Decides where a link ends in a text: punctuation behind it belongs to the sentence.
enum LinkEnd {
  /// The end of `range` without particles, trailing punctuation, possessive `'s` and escaped
  /// characters such as `&amp;`.
  static func trim(_ range: Range<Int>, in text: LinkText) -> Int {
    var end = GluedParticle.start(atEndOf: range, in: text) ?? range.upperBound
    while end > range.lowerBound, let last = text[end - 1] {
      if last == ";" {
        end = max(range.lowerBound, characterReferenceStart(before: end - 1, in: text) ?? end - 1)
      } else if isPunctuation(last) {
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
    case "?", "!", ".", ",", ":", "*", "_", "~", "^", "'", "(", "[", "{", "\u{2013}": true
    default: scalar.isMiddleDot || scalar.isJoiner
    }
  }
}

/// A Korean or Japanese particle that is written to the end of a path: `https://a.com/docs입니다`.
///
/// Paths hold words of these scripts too, so that only the particles themselves, behind an ASCII
/// character, are taken for the sentence's.
enum GluedParticle {
  /// Returns the beginning of the particle at the end of `range`; `nil` if there is none.
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
