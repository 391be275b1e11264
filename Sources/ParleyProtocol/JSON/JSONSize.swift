/// The bytes that values take as JSON, without writing them.
enum JSONSize {
  /// A string in quotation marks, its escapes counted.
  static func quoted(_ text: String) -> Int {
    var text = text
    let contents = text.withUTF8 { bytes in
      bytes.reduce(0) { $0 + JSONEscapes.byteCount(writing: $1) }
    }
    return contents + 2
  }

  /// A list of strings.
  static func list(_ texts: [String]) -> Int {
    texts.reduce(2) { $0 + quoted($1) + 1 }
  }

  /// The largest size of texts with this many UTF-8 bytes together: a control character is six bytes.
  static func bound(ofBytes count: Int) -> Int { 6 * count }

  /// The longest beginning of a text that takes at most `limit` bytes with its quotation marks,
  /// never less than a whole scalar cut off.
  static func prefix(of text: String, within limit: Int) -> String {
    guard quoted(text) > limit else { return text }
    var rest = limit - 2
    let scalars = text.unicodeScalars.prefix { scalar in
      rest -= scalar.utf8.reduce(0) { $0 + JSONEscapes.byteCount(writing: $1) }
      return rest >= 0
    }
    return String(scalars)
  }
}

extension Unicode.Scalar {
  fileprivate var utf8: Unicode.UTF8.EncodedScalar {
    Unicode.UTF8.encode(self) ?? Unicode.UTF8.encodedReplacementCharacter
  }
}
