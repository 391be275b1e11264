/// The opening line of a fenced code block: three or more backticks or tildes (CommonMark §4.5).
///
/// Code that is only indented is none here: in a chat, spaces at the start of a line are spaces.
struct CodeFence {
  private let marker: Unicode.Scalar
  private let length: Int
  private let end: Int

  /// The fence that opens in the line that begins at `line`.
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

  /// Where the line behind the block begins: behind its closing fence, or at the end of the text.
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
