/// The words for true and false.
enum ToggleText {
  /// Parses a word; `nil` for any other text.
  static func read(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: nil
    }
  }
}

/// A text that is allowed in a header field.
enum HeaderText {
  /// Returns the text when it is short, not empty, and only has visible ASCII characters and spaces.
  static func read(_ text: String) -> String? {
    let isClean = text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    guard isClean, (1...256).contains(text.utf8.count), text.first != " ", text.last != " " else {
      return nil
    }
    return text
  }
}
