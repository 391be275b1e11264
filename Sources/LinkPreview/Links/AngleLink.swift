/// Reads links between angle brackets: `<https://a.com/x(y>`, `<https://a.com|label>`.
///
/// Mentions and addresses that stand in brackets, such as `<mailto:me@a.com|me@a.com>`, are passed
/// over whole, so that no link is found in them.
enum AngleLink {
  /// What the bracket at `start` opens, `nil` when it is only a character.
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

  /// A label may follow a bar; it ends in the same line.
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
