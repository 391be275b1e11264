import Glibc

/// Converts bytes of any character set of the web into text; invalid bytes become U+FFFD.
enum CharacterSetDecoder {
  /// Returns the text in `bytes`.
  ///
  /// UTF-16 and ISO-2022-JP are converted before a page is tokenized, so bytes declared as these
  /// are actually UTF-8 and EUC-JP here.
  static func decode(_ bytes: [UInt8], as characterSet: CharacterSet) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    switch characterSet {
    case .utf8, .utf16LittleEndian, .utf16BigEndian: return String(decoding: bytes, as: UTF8.self)
    case .windows1252: return Windows1252.decode(bytes)
    case .iso2022JP: return convert(bytes, from: "EUC-JP-MS")
    case .named(let name): return convert(bytes, from: name)
    }
  }

  /// Converts with the C library, whose tables cover all character sets.
  ///
  /// Without the tables the text is decoded as windows-1252, like that of an unknown label.
  private static func convert(_ bytes: [UInt8], from name: String) -> String {
    guard let conversion = iconv_open("UTF-8", name), Int(bitPattern: conversion) != -1 else {
      return Windows1252.decode(bytes)
    }
    defer { iconv_close(conversion) }
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count * 2)
    var input = bytes
    input.withUnsafeMutableBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let consumed = convertRun(
          UnsafeMutableRawBufferPointer(rebasing: rest), conversion, &output)
        rest = rest.dropFirst(consumed)
        if rest.isEmpty { break }
        if consumed == 0 {
          output += "\u{fffd}".utf8
          rest = rest.dropFirst()
        }
      }
    }
    // Some character sets buffer a character until the next one is known.
    _ = convertRun(nil, conversion, &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Converts as much as fits into a small buffer, up to the first invalid byte; without input,
  /// flushes the conversion.
  ///
  /// - Returns: The number of bytes consumed.
  private static func convertRun(
    _ input: UnsafeMutableRawBufferPointer?, _ conversion: iconv_t, _ output: inout [UInt8]
  ) -> Int {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
      var source = input?.baseAddress?.assumingMemoryBound(to: CChar.self)
      let given = input?.count ?? 0
      var sourceLeft = given
      var target = buffer.baseAddress
      var targetLeft = buffer.count
      _ = iconv(conversion, &source, &sourceLeft, &target, &targetLeft)
      output += buffer[..<(buffer.count - targetLeft)].lazy.map { UInt8(bitPattern: $0) }
      return given - sourceLeft
    }
  }
}

/// Converts a stream of ISO-2022-JP to EUC-JP, in which no byte of a character equals `<`.
///
/// Both have the same codes, marked by escape sequences in the former and by the highest bit in the
/// latter. A page of another character set contains no escape sequences and is unchanged.
struct ISO2022JPConverter {
  private enum Alphabet { case ascii, kanji, katakana }
  private enum State { case text, escape, dollar, parenthesis }

  private static let escape: UInt8 = 0x1b

  private var alphabet = Alphabet.ascii
  private var state = State.text

  /// Returns whether the conversion would not change these bytes.
  func leavesUnchanged(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard alphabet == .ascii, state == .text else { return false }
    guard let base = bytes.baseAddress else { return true }
    return memchr(base, Int32(Self.escape), bytes.count) == nil
  }

  mutating func convert(_ bytes: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    for byte in bytes { receive(byte, &output) }
  }

  private mutating func receive(_ byte: UInt8, _ output: inout [UInt8]) {
    switch (state, byte) {
    case (_, Self.escape): state = .escape
    case (.text, _): append(byte, to: &output)
    case (.escape, UInt8(ascii: "$")): state = .dollar
    case (.escape, UInt8(ascii: "(")): state = .parenthesis
    case (.dollar, UInt8(ascii: "@")), (.dollar, UInt8(ascii: "B")): shift(to: .kanji)
    case (.parenthesis, UInt8(ascii: "I")): shift(to: .katakana)
    case (.parenthesis, UInt8(ascii: "B")), (.parenthesis, UInt8(ascii: "J")): shift(to: .ascii)
    default:
      state = .text
      append(byte, to: &output)
    }
  }

  private mutating func shift(to other: Alphabet) {
    alphabet = other
    state = .text
  }

  private mutating func append(_ byte: UInt8, to output: inout [UInt8]) {
    guard (0x21...0x7e).contains(byte), alphabet != .ascii else {
      // In practice the end of a line returns to ASCII, even without an escape sequence.
      if byte == 0x0a || byte == 0x0d { alphabet = .ascii }
      output.append(byte)
      return
    }
    if alphabet == .katakana { output.append(0x8e) }
    output.append(byte | 0x80)
  }
}

/// Converts a stream of UTF-16 to UTF-8; lone surrogates become U+FFFD.
struct UTF16Converter {
  private let isBigEndian: Bool
  private var firstByte: UInt8?
  private var highSurrogate: UInt16?

  init(_ order: CharacterSet) { isBigEndian = order == .utf16BigEndian }

  mutating func convert(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
    for index in bytes.indices {
      let byte = bytes[index]
      guard let first = firstByte else {
        firstByte = byte
        continue
      }
      firstByte = nil
      let unit = isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first)
      append(unit, to: &output)
    }
  }

  private mutating func append(_ unit: UInt16, to output: inout [UInt8]) {
    if let high = highSurrogate {
      highSurrogate = nil
      if UTF16.isTrailSurrogate(unit) {
        let scalar = 0x1_0000 + (UInt32(high & 0x3ff) << 10 | UInt32(unit & 0x3ff))
        encode(Unicode.Scalar(scalar), into: &output)
        return
      }
      encode(nil, into: &output)
    }
    if UTF16.isLeadSurrogate(unit) {
      highSurrogate = unit
    } else {
      encode(Unicode.Scalar(unit), into: &output)
    }
  }

  private func encode(_ scalar: Unicode.Scalar?, into output: inout [UInt8]) {
    output += UTF8.encode(scalar ?? "\u{fffd}") ?? UTF8.encodedReplacementCharacter
  }
}

/// The character set of pages without a declaration (WHATWG Encoding §9).
enum Windows1252 {
  static func decode(_ bytes: [UInt8]) -> String {
    var text = ""
    text.reserveCapacity(bytes.count + bytes.count / 4)
    for byte in bytes { text.unicodeScalars.append(scalar(for: byte)) }
    return text
  }

  static func scalar(for byte: UInt8) -> Unicode.Scalar {
    guard (0x80...0x9f).contains(byte) else { return Unicode.Scalar(byte) }
    return Unicode.Scalar(upper[Int(byte - 0x80)]) ?? Unicode.Scalar(byte)
  }

  /// 0x80 to 0x9F; undefined bytes of windows-1252 map to the control character of that number.
  private static let upper: [UInt32] = [
    0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d, 0x8f,
    0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
  ]
}
