/// Base64 with the alphabet that is safe in URLs, without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Encodes without padding.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var characters: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        characters.append(alphabet[Int(bits >> bitCount & 63)])
      }
    }
    if bitCount > 0 { characters.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
    return String(decoding: characters, as: UTF8.self)
  }

  /// Decodes, or returns `nil` for anything that ``encode(_:)`` does not produce: padding, white
  /// space, the other alphabet, an impossible length or bits that are left over.
  package static func decode(_ characters: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var bitCount = 0
    for character in characters {
      guard let value = value(of: character) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        bits &= (1 << bitCount) - 1
      }
    }
    return bitCount < 6 && bits == 0 ? bytes : nil
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
