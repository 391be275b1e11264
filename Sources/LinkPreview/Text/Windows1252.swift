/// The character set that pages without any declaration are read in (WHATWG Encoding §9).
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

  /// 0x80 to 0x9F; where windows-1252 has a hole, the control character of that number.
  private static let upper: [UInt32] = [
    0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d, 0x8f,
    0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
  ]
}
