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
