/// Text of strangers inside the words of a report.
enum QuotedText {
  /// In quotation marks, cut, what is not printable escaped.
  static func quote(_ text: String) -> String {
    text.unicodeScalars.count <= 128
      ? text.debugDescription : String(text.prefix(128)).debugDescription + "…"
  }

  /// An error text: cut, control characters left out.
  static func plain(_ text: String) -> String {
    String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }.prefix(200))
  }
}
