internal import HTTP1

/// Cuts text that proxies write, each behind what it received.
///
/// It is cut from its end. Whoever wrote last is known; what a client wrote at the front, an opened
/// quote above all, must not change how that is read.
enum ForwardedText {
  /// Whether separators count inside quotes.
  enum Quoting: Sendable {
    /// A quote is a character like any other.
    case none
    /// Quoted strings hide them (RFC 9110 §5.6.4).
    case strings
  }

  /// The pieces between separators, the last one first, without the blanks around them; empty ones
  /// are left out.
  ///
  /// - Complexity: O(*n*) in the text's length.
  static func pieces(of text: String, at separator: UInt8, _ quoting: Quoting) -> [String] {
    var pieces: [String] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let cut = lastSeparator(separator, in: rest, quoting)
      let piece = HTTPSyntax.trimmed(rest[(cut.map { $0 + 1 } ?? rest.startIndex)...])
      if !piece.isEmpty { pieces.append(String(decoding: piece, as: UTF8.self)) }
      rest = rest[..<(cut ?? rest.startIndex)]
    }
    return pieces
  }

  private static func lastSeparator(
    _ separator: UInt8, in text: ArraySlice<UInt8>, _ quoting: Quoting
  ) -> Int? {
    var isQuoted = false
    for index in text.indices.reversed() {
      switch text[index] {
      case separator where !isQuoted: return index
      case UInt8(ascii: "\"") where quoting == .strings:
        // Read backwards, only a quote inside of a string can be an escaped one.
        if !isQuoted || !isEscaped(index, in: text) { isQuoted.toggle() }
      default: break
      }
    }
    return nil
  }

  /// Whether an odd number of backslashes stands before it.
  private static func isEscaped(_ index: Int, in text: ArraySlice<UInt8>) -> Bool {
    let before = text[..<index].reversed()
    return before.prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
  }
}
