internal import LinkPreview

/// Texts of others made fit for a terminal.
enum PlainLine {
  /// The text in one line without what could move the cursor, set colours or turn letters round.
  static func clean(_ text: String, limit: Int = 200) -> String {
    let line = PlainText.clean(text, limit: limit)
    return line == PlainText.clean(text, limit: .max) ? line : line + "…"
  }
}

extension String {
  /// The text with spaces behind it, for columns.
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
