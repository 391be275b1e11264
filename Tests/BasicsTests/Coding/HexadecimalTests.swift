import Basics
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
  @Test("bytes become two hexadecimal digits each")
  func hexadecimal() {
    #expect(Hexadecimal.encode([0, 9, 0xAB, 0xFF]) == "0009abff")
  }

  @Test("digits of both cases have values, and nothing else has")
  func values() {
    for byte in UInt8.min...UInt8.max {
      let character = Character(Unicode.Scalar(byte))
      let expected = byte < 0x80 ? character.hexDigitValue.map { UInt8($0) } : nil
      #expect(byte.hexDigitValue == expected, "\(byte)")
    }
  }

  @Test("every byte comes back from its digits")
  func roundTrip() {
    for byte in UInt8.min...UInt8.max {
      let digits = Hexadecimal.encode([byte]).utf8.compactMap(\.hexDigitValue)
      #expect(digits.count == 2 && digits[0] << 4 | digits[1] == byte)
    }
  }
}
