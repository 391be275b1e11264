import Basics
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
  @Test("each byte becomes two hexadecimal digits")
  func hexadecimal() {
    #expect(Hexadecimal.encode([0, 9, 0xAB, 0xFF]) == "0009abff")
  }

  @Test("digits of both cases have values, and no other character does")
  func values() {
    for byte in UInt8.min...UInt8.max {
      let character = Character(Unicode.Scalar(byte))
      let expected = byte < 0x80 ? character.hexDigitValue.map { UInt8($0) } : nil
      #expect(byte.hexDigitValue == expected, "\(byte)")
    }
  }

  @Test("every byte is restored from its digits")
  func roundTrip() {
    for byte in UInt8.min...UInt8.max {
      let digits = Hexadecimal.encode([byte]).utf8.compactMap(\.hexDigitValue)
      #expect(digits.count == 2 && digits[0] << 4 | digits[1] == byte)
    }
  }
}
