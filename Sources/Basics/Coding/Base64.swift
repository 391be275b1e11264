/// Base64 with the standard alphabet and padding (RFC 4648 §4).
package enum Base64 {
  private static let alphabet = SixBitAlphabet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  private static let padding = UInt8(ascii: "=")

  /// Encodes with padding.
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text = alphabet.encode(Array(bytes))
    while !text.count.isMultiple(of: 4) { text.append(padding) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a text with or without padding; `nil` for anything but the canonical form of the bytes.
  package static func decode(_ text: String) -> [UInt8]? {
    alphabet.decode(withoutPadding(Array(text.utf8)))
  }

  private static func withoutPadding(_ characters: [UInt8]) -> [UInt8] {
    guard characters.count.isMultiple(of: 4) else { return characters }
    let padded = characters.suffix(2).reversed().prefix { $0 == padding }
    return Array(characters.dropLast(padded.count))
  }
}

/// Base64 with the alphabet that is safe in URLs, without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
  private static let alphabet = SixBitAlphabet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  /// Encodes without padding.
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: alphabet.encode(Array(bytes)), as: UTF8.self)
  }

  /// Decodes, or returns `nil` for anything that ``encode(_:)`` does not produce: padding, white space,
  /// the other alphabet, an impossible length or leftover bits.
  package static func decode(_ characters: some Collection<UInt8>) -> [UInt8]? {
    alphabet.decode(Array(characters))
  }
}

/// Sixty-four characters of six bits each, the most significant bits of a byte first.
private struct SixBitAlphabet: Sendable {
  private let characters: [UInt8]
  /// The value of each byte as a character; 64 for one that is not in the alphabet.
  private let values: [UInt8]

  init(_ text: String) {
    characters = Array(text.utf8)
    var values = [UInt8](repeating: 64, count: 256)
    for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
    self.values = values
  }

  // Not generic: other modules would call an unspecialized version, which is ten times slower.

  func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: (bytes.count * 4 + 2) / 3)
    var place = 0
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(bytes.count - start, 3)
      var bits: UInt32 = 0
      for index in 0..<count { bits |= UInt32(bytes[start + index]) << UInt32(16 - 8 * index) }
      for index in 0...count {
        text[place] = characters[Int(bits >> UInt32(18 - 6 * index) & 63)]
        place += 1
      }
    }
    return text
  }

  func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: text.count * 3 / 4)
    var place = 0
    for start in stride(from: 0, to: text.count, by: 4) {
      let count = min(text.count - start, 4)
      var bits: UInt32 = 0
      var invalid: UInt8 = 0
      for index in 0..<count {
        let value = values[Int(text[start + index])]
        invalid |= value
        bits |= UInt32(value) << UInt32(18 - 6 * index)
      }
      // Leftover bits must be zero.
      guard invalid < 64, bits & (0xFF_FFFF >> UInt32(8 * (count - 1))) == 0 else { return nil }
      for index in 0..<(count - 1) {
        bytes[place] = UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * index))
        place += 1
      }
    }
    return bytes
  }
}
