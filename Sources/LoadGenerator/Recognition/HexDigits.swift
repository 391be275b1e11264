/// Numbers of 8 or 16 hexadecimal digits in lower case.
enum HexDigits {
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// Reads 8 digits at once; `nil` for anything else, or when there are fewer.
  ///
  /// All eight bytes are worked on side by side in one word. A letter has bit 6 set, and its value
  /// is 9 more than its low half. Writing the values as digits again must give what was read.
  static func read8(_ bytes: RawSpan, at offset: Int) -> UInt32? {
    guard offset >= 0, bytes.byteCount - offset >= 8 else { return nil }
    let text = UInt64(
      bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    var values = (text & (ones &* 0x0F)) &+ ((text >> 6) & ones) &* 9
    let letters = ((values &+ ones &* 6) >> 4) & ones
    guard values & (ones &* 0xF0) == 0, values &+ ones &* 0x30 &+ letters &* 0x27 == text else {
      return nil
    }
    values = (values | values >> 4) & 0x00FF_00FF_00FF_00FF
    values = (values | values >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: values | values >> 16)
  }

  /// Reads 16 digits.
  static func read16(_ bytes: RawSpan, at offset: Int) -> UInt64? {
    guard let high = read8(bytes, at: offset), let low = read8(bytes, at: offset + 8) else {
      return nil
    }
    return UInt64(high) << 32 | UInt64(low)
  }

  static func append(_ value: UInt64, count: Int, to bytes: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    for index in (0..<count).reversed() {
      bytes.append(digits[Int(truncatingIfNeeded: value >> (4 * UInt64(index))) & 0xf])
    }
  }
}
