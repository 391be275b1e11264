import Basics

/// Decodes character references once (HTML §13.2.5.72–80).
enum CharacterReferences {
  /// The context of the text; the rules differ for names without a semicolon.
  enum Context {
    case attribute, text
  }

  /// Returns the text with its references replaced.
  static func decode(_ text: String, in context: Context) -> String {
    let bytes = Array(text.utf8)
    guard bytes.contains(UInt8(ascii: "&")) else { return text }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "&"),
        let (value, length) = reference(in: bytes[(index + 1)...], context)
      {
        output += value.utf8
        index += 1 + length
      } else {
        output.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the value of the reference after an `&`, and its length in bytes.
  static func reference(
    in text: ArraySlice<UInt8>, _ context: Context
  ) -> (String, Int)? {
    if text.first == UInt8(ascii: "#") { return numeric(text.dropFirst()) }
    return named(text, context)
  }

  private static func numeric(_ text: ArraySlice<UInt8>) -> (String, Int)? {
    let isHexadecimal = text.first == UInt8(ascii: "x") || text.first == UInt8(ascii: "X")
    let digits = (isHexadecimal ? text.dropFirst() : text).prefix {
      isHexadecimal ? $0.isASCIIHexDigit : $0.isASCIIDigit
    }
    guard !digits.isEmpty else { return nil }
    let radix: UInt32 = isHexadecimal ? 16 : 10
    // All numbers beyond Unicode mean the same.
    let number = digits.reduce(UInt32(0)) { number, digit in
      min(number * radix + UInt32(digit.hexDigitValue ?? 0), 0x11_0000)
    }
    let end = digits.endIndex
    let hasSemicolon = end < text.endIndex && text[end] == UInt8(ascii: ";")
    let length = 1 + (isHexadecimal ? 1 : 0) + digits.count + (hasSemicolon ? 1 : 0)
    return (String(Character(scalar(for: number))), length)
  }

  private static func scalar(for number: UInt32) -> Unicode.Scalar {
    // Numbers from 0x80 to 0x9F are interpreted as windows-1252.
    if (0x80...0x9f).contains(number), let byte = UInt8(exactly: number) {
      return Windows1252.scalar(for: byte)
    }
    guard number != 0, let scalar = Unicode.Scalar(number) else { return "\u{fffd}" }
    return scalar
  }

  private static func named(
    _ text: ArraySlice<UInt8>, _ context: Context
  ) -> (String, Int)? {
    let name = text.prefix(NamedReferences.longestName + 1).prefix(while: \.isASCIIAlphanumeric)
    guard !name.isEmpty else { return nil }
    if name.endIndex < text.endIndex, text[name.endIndex] == UInt8(ascii: ";"),
      let match = NamedReferences.match(name)
    {
      return (match.text, name.count + 1)
    }
    for length in stride(
      from: min(name.count, NamedReferences.longestLegacyName), through: 2, by: -1)
    {
      let prefix = name.prefix(length)
      guard let match = NamedReferences.match(prefix), match.isLegacy else { continue }
      // In attributes `&copy=1` is part of a URL, not a reference.
      if context == .attribute, prefix.endIndex < text.endIndex {
        let next = text[prefix.endIndex]
        if next == UInt8(ascii: "=") || next.isASCIIAlphanumeric { return nil }
      }
      return (match.text, length)
    }
    return nil
  }
}
