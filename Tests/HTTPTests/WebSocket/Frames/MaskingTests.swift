import TestSupport
import Testing

@testable import HTTP

@Suite("Masking")
struct MaskingTests {
  /// RFC 6455 §5.3, one byte at a time.
  private func reference(_ bytes: [UInt8], _ key: UInt32) -> [UInt8] {
    let key = bigEndian(key)
    return bytes.indices.map { bytes[$0] ^ key[$0 % 4] }
  }

  @Test("matches byte-by-byte masking, for every length and offset")
  func lengths() {
    var generator = SeededGenerator(seed: 1)
    for length in 0...100 {
      let bytes = generator.bytes(length)
      let key = UInt32.random(in: 0 ... .max, using: &generator)
      var result = generator.bytes(length % 9)
      let before = result
      Masking.append(bytes.span, maskedWith: MaskingKey(key), to: &result)
      #expect(result == before + reference(bytes, key))
    }
  }

  @Test("continues in the middle of the key where a payload is split", arguments: UInt64(1)...50)
  func pieces(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let bytes = generator.bytes(300)
    let number = UInt32.random(in: 0 ... .max, using: &generator)
    var key = MaskingKey(number)
    var result: [UInt8] = []
    for piece in generator.pieces(of: bytes) {
      Masking.append(piece.span, maskedWith: key, to: &result)
      key = key.advanced(by: piece.count)
    }
    #expect(result == reference(bytes, number))
  }
}
