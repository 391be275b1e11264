/// Texts of others made fit for a terminal.
enum PlainLine {
  /// The text in one line without control characters, which could move the cursor or set colours.
  static func clean(_ text: String, limit: Int = 200) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(limit) {
      let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
      line.append(isControl ? " " : scalar)
    }
    return String(line) + (text.unicodeScalars.dropFirst(limit).isEmpty ? "" : "…")
  }
}

extension String {
  /// The text with spaces behind it, for columns.
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
