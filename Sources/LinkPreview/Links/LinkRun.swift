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

  /// Where the run that begins at `start` ends, its reading taken up at `index`.
  ///
  /// - Parameter start: Where the link begins, which tells whether it is quoted.
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
