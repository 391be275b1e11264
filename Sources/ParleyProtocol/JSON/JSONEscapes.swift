/// The escapes of JSON strings (RFC 8259 §7).
enum JSONEscapes {
  /// The bytes of a validated string, with its escapes decoded.
  static func resolved(_ contents: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(contents.count)
    var rest = contents
    while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
      result.append(contentsOf: rest[..<backslash])
      rest = rest[(backslash + 1)...]
      appendEscape(from: &rest, to: &result)
    }
    result.append(contentsOf: rest)
    return result
  }

  /// The byte that a one-letter escape stands for, or `nil` when there is no such escape.
  static func byte(forLetter letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "r"): 0x0d
    default: nil
    }
  }

  /// The number written by the first four hexadecimal digits of `digits`, or `nil`.
  static func codeUnit(_ digits: ArraySlice<UInt8>) -> UInt16? {
    guard digits.count >= 4 else { return nil }
    var unit: UInt16 = 0
    for digit in digits.prefix(4) {
      guard let value = hexadecimalValue(digit) else { return nil }
      unit = unit << 4 | UInt16(value)
    }
    return unit
  }

  private static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func appendEscape(from rest: inout ArraySlice<UInt8>, to result: inout [UInt8]) {
    guard let letter = rest.popFirst() else { return }
    if let byte = byte(forLetter: letter) {
      result.append(byte)
    } else if let scalar = scalar(from: &rest) {
      result.append(contentsOf: String(scalar).utf8)
    }
  }

  private static func scalar(from rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard let first = codeUnit(rest) else { return nil }
    rest = rest.dropFirst(4)
    guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
    guard let second = codeUnit(rest.dropFirst(2)) else { return nil }
    rest = rest.dropFirst(6)
    return UTF16.decode(UTF16.EncodedScalar([first, second]))
  }
}

extension JSONEscapes {
  /// The number of bytes that a byte of a string is written as.
  static func byteCount(writing byte: UInt8) -> Int {
    guard needsEscape(byte) else { return 1 }
    return letter(for: byte) == nil ? 6 : 2
  }

  /// The index of the first byte that must be escaped.
  static func firstIndex(in string: UnsafeBufferPointer<UInt8>) -> Int? {
    let bytes = UnsafeRawBufferPointer(string)
    var index = 0
    while index + 8 <= bytes.count,
      !needsEscape(anyOf: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    {
      index += 8
    }
    return string[index...].firstIndex(where: needsEscape)
  }

  /// Whether any of eight bytes must be escaped.
  ///
  /// A byte is below a bound if subtracting the bound sets its highest bit, and that bit was not set.
  private static func needsEscape(anyOf bytes: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = bytes ^ (ones * 0x22)
    let backslashes = bytes ^ (ones * 0x5c)
    let found =
      (bytes &- ones * 0x20) & ~bytes | (quotes &- ones) & ~quotes
      | (backslashes &- ones) & ~backslashes
    return found & (ones * 0x80) != 0
  }

  static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5c
  }

  /// The letter after the backslash that represents a byte; `nil` for one that is written by its number.
  static func letter(for byte: UInt8) -> UInt8? {
    switch byte {
    case 0x22, 0x5c: byte
    case 0x08: UInt8(ascii: "b")
    case 0x09: UInt8(ascii: "t")
    case 0x0a: UInt8(ascii: "n")
    case 0x0c: UInt8(ascii: "f")
    case 0x0d: UInt8(ascii: "r")
    default: nil
    }
  }

  static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
