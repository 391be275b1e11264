/// Bytes as hexadecimal digits, two for each (RFC 4648 §8).
package enum Hexadecimal {
  private static let lowerCase = Array("0123456789abcdef".utf8)
  private static let upperCase = Array("0123456789ABCDEF".utf8)

  /// Encodes in lower case.
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      characters.append(lowerCase[Int(byte >> 4)])
      characters.append(lowerCase[Int(byte & 15)])
    }
    return String(decoding: characters, as: UTF8.self)
  }

  /// The two upper-case digits of a byte, as percent-encoding writes them.
  static func upperCaseDigits(of byte: UInt8) -> (UInt8, UInt8) {
    (upperCase[Int(byte >> 4)], upperCase[Int(byte & 15)])
  }
}

extension UInt8 {
  /// The value, 0 to 15, of a hexadecimal digit of either case; `nil` for any other character.
  package var hexDigitValue: UInt8? {
    if self &- 0x30 < 10 { return self &- 0x30 }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : nil
  }
}

extension FixedWidthInteger {
  /// Parses a number of decimal digits only: no sign, no space.
  package init?(decimal text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(String(text), radix: 10)
  }
}

extension BinaryInteger {
  /// The decimal digits of a non-negative number, padded with leading zeros to a width.
  package func decimal(width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
