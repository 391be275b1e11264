extension Base64 {
  private static let padding = UInt8(ascii: "=")

  /// Decodes a text with padding or without; `nil` for anything but the one form that the bytes
  /// have.
  package static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for character in withoutPadding(Array(text.utf8)) {
      guard let value = value(of: character) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      bits &= (1 << bitCount) - 1
    }
    // What is left over is less than a character, and zero.
    return bitCount < 6 && bits == 0 ? bytes : nil
  }

  private static func withoutPadding(_ characters: [UInt8]) -> ArraySlice<UInt8> {
    guard characters.count.isMultiple(of: 4) else { return characters[...] }
    let padded = characters.suffix(2).reversed().prefix { $0 == padding }
    return characters.dropLast(padded.count)
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
