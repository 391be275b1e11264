/// Numbers of a fixed count of hexadecimal digits in lower case.
enum HexDigits {
  /// Reads a number; `nil` for anything but digits. The caller has seen to it that they are there.
  static func read(_ bytes: Span<UInt8>, from start: Int, count: Int) -> UInt64? {
    var value: UInt64 = 0
    for index in start..<(start + count) {
      let byte = bytes[index]
      let digit: UInt8
      if byte &- 0x30 < 10 {
        digit = byte &- 0x30
      } else if byte &- 0x61 < 6 {
        digit = byte &- 0x61 + 10
      } else {
        return nil
      }
      value = value << 4 | UInt64(digit)
    }
    return value
  }

  static func append(_ value: UInt64, count: Int, to bytes: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    for index in (0..<count).reversed() {
      bytes.append(digits[Int(truncatingIfNeeded: value >> (4 * UInt64(index))) & 0xf])
    }
  }
}
