internal import Basics
internal import LinkPreview

/// A text with a fingerprint of its bytes, used for comparison and hashing.
///
/// Strings are compared and hashed by canonical equivalence. For long non-ASCII texts that takes
/// milliseconds, and it equates texts that a service may translate differently.
///
/// The fingerprint is computed once for all languages of a text. Its key is different in each
/// process, so users cannot construct two texts with the same fingerprint.
package struct SourceText: Hashable, Sendable {
  package let text: String
  // 128 bits: no two texts have the same fingerprint.
  private let first: Int
  private let second: Int

  package init(_ text: String) {
    self.text = text
    var (first, second) = (Hasher(), Hasher())
    // The halves are hashes of two texts that differ in their first byte.
    first.combine(UInt8(1))
    second.combine(UInt8(2))
    var contiguous = text
    contiguous.withUTF8 { bytes in
      first.combine(bytes: UnsafeRawBufferPointer(bytes))
      second.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    self.first = first.finalize()
    self.second = second.finalize()
  }

  package static func == (one: SourceText, other: SourceText) -> Bool {
    one.first == other.first && one.second == other.second
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(first) }
}

extension SourceText {
  /// Whether the text has words that may be different in another language: anything except emoji,
  /// blanks and addresses.
  package var hasWords: Bool {
    text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).contains { word in
      word.contains { !DisplayText.isBlank($0) && !$0.isPicture } && !Self.isKeycap(word)
        && !Self.isAddress(word)
    }
  }

  /// Returns whether a word is a keycap emoji.
  private static func isKeycap(_ word: Substring.UnicodeScalarView) -> Bool {
    word.contains("\u{20e3}") && !word.contains(where: \.properties.isAlphabetic)
  }

  /// Returns whether a word is a link or an e-mail address; with other letters beside it, it is a word.
  private static func isAddress(_ word: Substring.UnicodeScalarView) -> Bool {
    let address = word.drop { !$0.properties.isAlphabetic && $0.properties.numericType == nil }
    guard address.contains(where: { $0 == "." || $0 == ":" }) else { return false }
    let text = String(String.UnicodeScalarView(address))
    let start = text.prefix(8).lowercased()
    if ["http://", "https://", "mailto:", "www."].contains(where: start.hasPrefix) { return true }
    guard address.allSatisfy(\.isASCII) else { return false }
    return address.dropFirst().contains("@") || LinkFinder.firstLink(in: text) != nil
  }
}

extension Unicode.Scalar {
  /// Whether the character is an emoji or shown as one.
  fileprivate var isPicture: Bool { !isASCII && properties.isEmoji || self == "\u{20e3}" }
}
