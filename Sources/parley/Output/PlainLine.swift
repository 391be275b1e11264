internal import LinkPreview

/// Texts of others made fit for a terminal.
enum PlainLine {
  /// The text in one line without what could move the cursor, set colours or turn letters round.
  static func clean(_ text: String, limit: Int = 200) -> String {
    let line = PlainText.clean(text, limit: limit)
    return line == PlainText.clean(text, limit: .max) ? line : line + "…"
  }

  /// Whether a terminal could take it for more than a character to show.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f...0x9f: true
    case 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// The text with spaces behind it, for columns.
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - DisplayWidth.of(self)))
  }
}
