/// Outside text made fit for a message: in quotes, bounded, without control characters.
enum QuotedText {
  private static let longest = 80

  static func quote(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(longest).map(escape).joined()
    let rest = text.unicodeScalars.count > longest ? "…" : ""
    return "\"\(shown)\(rest)\""
  }

  /// A name or path: bare when it is plain ASCII without spaces, else in quotes.
  static func name(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
    return isPlain && (1...longest).contains(text.utf8.count) ? text : quote(text)
  }

  /// Whether a text has control characters, which no setting takes.
  static func hasControlCharacters(_ text: String) -> Bool {
    text.unicodeScalars.contains(where: isControl)
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    guard scalar != "\"", scalar != "\\" else { return "\\\(scalar)" }
    return isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
