import Testing

@testable import LoadGenerator

@Suite("Hexadecimal digits")
struct HexDigitsTests {
  private func read(_ text: String, at offset: Int = 0) -> UInt32? {
    HexDigits.read8(Array(text.utf8).span.bytes, at: offset)
  }

  @Test("eight digits are parsed")
  func readsDigits() {
    for value in [0, 1, 0x9abc_def0, 0x0123_4567, .max, 0xa0a0_0f0f] as [UInt32] {
      var bytes: [UInt8] = []
      HexDigits.append(UInt64(value), count: 8, to: &bytes)
      #expect(read(String(decoding: bytes, as: UTF8.self)) == value)
    }
  }

  @Test("any other byte in any position is refused")
  func refusesOthers() {
    let digits = Set("0123456789abcdef".utf8)
    for place in 0..<8 {
      for byte in UInt8.min ... .max {
        var bytes = Array("1a2b3c4d".utf8)
        bytes[place] = byte
        let isRead = HexDigits.read8(bytes.span.bytes, at: 0) != nil
        #expect(isRead == digits.contains(byte), "\(byte) at \(place)")
      }
    }
  }

  @Test("fewer than eight bytes are not read")
  func refusesFewer() {
    #expect(read("1234567") == nil)
    #expect(read("12345678", at: 1) == nil)
    #expect(read("12345678", at: -1) == nil)
  }
}
