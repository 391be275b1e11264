/// A text that may stand in a header field.
enum HeaderText {
  /// Returns the text when it is short, not empty, and of visible ASCII characters and spaces.
  static func read(_ text: String) -> String? {
    let isClean = text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    guard isClean, (1...256).contains(text.utf8.count), text.first != " ", text.last != " " else {
      return nil
    }
    return text
  }
}
