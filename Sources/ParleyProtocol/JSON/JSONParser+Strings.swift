extension JSONParser {
  /// Parses a string: UTF-8 without control characters, with complete escapes (RFC 8259 §7, §8.2).
  ///
  /// - Returns: Whether it has escapes.
  mutating func parseString() throws(JSONError) -> Bool {
    let start = position
    var hasEscapes = false
    position += 1
    while true {
      skipPlainRun()
      guard let byte = peek() else { throw syntax("the text ends inside a string") }
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        try appendScalar(.string, from: start, hasEscapes: hasEscapes)
        return hasEscapes
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try skipEscape()
      case 0x80...:
        try skipMultibyteScalar()
      default:
        throw syntax("a control character in a string must be escaped")
      }
    }
  }

  /// Skips ASCII that needs no escape.
  private mutating func skipPlainRun() {
    position = bytes.withUnsafeBytes { bytes in
      var index = position
      while index + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let count = Self.plainCount(UInt64(littleEndian: word))
        index += count
        if count < 8 { return index }
      }
      while index < bytes.count {
        let byte = bytes[index]
        let isPlain = byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5c
        guard isPlain else { break }
        index += 1
      }
      return index
    }
  }

  /// The number of leading bytes, from the lowest of eight, that are ASCII and need no escape.
  ///
  /// Subtraction sets the highest bit of a byte that is too small, and of no byte before the first one.
  private static func plainCount(_ word: UInt64) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let control = word &- ones &* 0x20
    let quotes = (word ^ ones &* 0x22) &- ones
    let backslashes = (word ^ ones &* 0x5c) &- ones
    let others = (word | control | quotes | backslashes) & (ones &* 0x80)
    return others.trailingZeroBitCount / 8
  }

  private mutating func skipEscape() throws(JSONError) {
    guard position + 1 < bytes.count else { throw syntax("the text ends inside a string") }
    let letter = bytes[position + 1]
    if letter == UInt8(ascii: "u") { return try skipUnicodeEscape() }
    guard JSONEscapes.byte(forLetter: letter) != nil else { throw syntax("no such escape") }
    position += 2
  }

  private mutating func skipUnicodeEscape() throws(JSONError) {
    let unit = try codeUnit(at: position)
    guard !UTF16.isTrailSurrogate(unit) else { throw syntax("a low surrogate stands alone") }
    guard UTF16.isLeadSurrogate(unit) else {
      position += 6
      return
    }
    let isFollowed = bytes[min(position + 6, bytes.count)...].starts(with: [0x5c, 0x75])
    guard isFollowed, UTF16.isTrailSurrogate(try codeUnit(at: position + 6)) else {
      throw syntax("a high surrogate stands alone")
    }
    position += 12
  }

  private func codeUnit(at start: Int) throws(JSONError) -> UInt16 {
    guard let unit = JSONEscapes.codeUnit(bytes[min(start + 2, bytes.count)...]) else {
      throw JSONError(.syntax, at: start, "four hexadecimal digits are expected after '\\u'")
    }
    return unit
  }

  /// Skips one well-formed sequence of two to four bytes (RFC 3629 §4).
  private mutating func skipMultibyteScalar() throws(JSONError) {
    let (count, second) = try sequenceShape(lead: bytes[position])
    guard position + count <= bytes.count, second.contains(bytes[position + 1]) else {
      throw encodingError
    }
    for index in position + 2..<max(position + count, position + 2) {
      guard bytes[index] & 0xc0 == 0x80 else { throw encodingError }
    }
    position += count
  }

  /// The length of a sequence, and the valid range of its second byte (not overlong, no surrogate).
  private func sequenceShape(lead: UInt8) throws(JSONError) -> (Int, ClosedRange<UInt8>) {
    switch lead {
    case 0xc2...0xdf: (2, 0x80...0xbf)
    case 0xe0: (3, 0xa0...0xbf)
    case 0xed: (3, 0x80...0x9f)
    case 0xe1...0xef: (3, 0x80...0xbf)
    case 0xf0: (4, 0x90...0xbf)
    case 0xf1...0xf3: (4, 0x80...0xbf)
    case 0xf4: (4, 0x80...0x8f)
    default: throw encodingError
    }
  }

  private var encodingError: JSONError {
    JSONError(.encoding, at: position, "the text is not UTF-8")
  }
}
