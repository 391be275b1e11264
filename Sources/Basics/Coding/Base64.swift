/// Base64 with the standard alphabet and padding (RFC 4648 §4).
package enum Base64 {
  private static let alphabet = SixBitAlphabet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  private static let padding = UInt8(ascii: "=")

  /// Encodes with padding.
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text = alphabet.encode(bytes)
    while !text.count.isMultiple(of: 4) { text.append(padding) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a text with padding or without; `nil` for anything but the one form that the bytes
  /// have.
  package static func decode(_ text: String) -> [UInt8]? {
    alphabet.decode(withoutPadding(Array(text.utf8)))
  }

  private static func withoutPadding(_ characters: [UInt8]) -> ArraySlice<UInt8> {
    guard characters.count.isMultiple(of: 4) else { return characters[...] }
    let padded = characters.suffix(2).reversed().prefix { $0 == padding }
    return characters.dropLast(padded.count)
  }
}

/// Base64 with the alphabet that is safe in URLs, without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
  private static let alphabet = SixBitAlphabet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  /// Encodes without padding.
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: alphabet.encode(bytes), as: UTF8.self)
  }

  /// Decodes, or returns `nil` for anything that ``encode(_:)`` does not produce: padding, white
  /// space, the other alphabet, an impossible length or bits that are left over.
  package static func decode(_ characters: some Collection<UInt8>) -> [UInt8]? {
    alphabet.decode(characters)
  }
}

/// Sixty-four characters, each for six bits, the first bits of a byte first.
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

  func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(characters[Int(bits >> bitCount & 63)])
      }
    }
    if bitCount > 0 { text.append(characters[Int(bits << (6 - bitCount) & 63)]) }
    return text
  }

  func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var bitCount = 0
    for character in text {
      let value = values[Int(character)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      bits &= (1 << bitCount) - 1
    }
    // What is left over is less than a character, and zero.
    return bitCount < 6 && bits == 0 ? bytes : nil
  }
}
