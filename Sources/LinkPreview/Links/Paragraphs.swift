/// Where paragraphs end, which nothing but a code block crosses.
enum Paragraphs {
  /// Whether the line break at `index` ends a paragraph: a blank line or a code block follows.
  static func end(at index: Int, in text: LinkText) -> Bool {
    let next = text.end(from: index + 1, while: \.isBlank)
    return next >= text.count || text[next] == "\n"
      || CodeFence(atLine: index + 1, in: text) != nil
  }
}
