import Crypto

/// The name of a file in the store: 128 random bits, which nobody guesses.
package enum FileID {
  /// Makes a new one.
  static func make() -> String {
    SecureRandom.hex(byteCount: 16)
  }

  /// Whether a text could be one; no other may become part of a path.
  package static func isValid(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
