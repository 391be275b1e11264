/// Counts the aliases of a YAML text before it is parsed.
///
/// A few lines of aliases to lists of aliases stand for billions of nodes. Sixteen aliases cannot
/// stand for more than a few hundred times the file.
enum AliasCount {
  static let limit = 16

  /// Whether the text has few aliases, counting everything that could be one: an asterisk where a
  /// value or key may begin.
  static func isSmall(in text: String) -> Bool {
    var count = 0
    var previous = UInt8(ascii: "\n")
    for byte in text.utf8 {
      if byte == UInt8(ascii: "*"), canPrecedeValue(previous) { count += 1 }
      previous = byte
    }
    return count <= limit
  }

  private static func canPrecedeValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x0a, 0x0d, 0x20, UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ","),
      UInt8(ascii: ":"), UInt8(ascii: "?"), UInt8(ascii: "-"):
      true
    default: byte >= 0x80
    }
  }
}
