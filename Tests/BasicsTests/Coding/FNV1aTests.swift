import Basics
import Testing

@Suite("FNV-1a")
struct FNV1aTests {
  /// From the reference implementation's test vectors.
  @Test(
    "returns the published test vectors",
    arguments: [
      ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("b", 0xaf63_df4c_8601_f1a5),
      ("foobar", 0x8594_4171_f739_67e8),
    ] as [(String, UInt64)])
  func vectors(text: String, hash: UInt64) {
    #expect(FNV1a.hash(text) == hash)
    var bytewise = FNV1a()
    for byte in text.utf8 { bytewise.append(byte) }
    #expect(bytewise.value == hash)
  }

  @Test("hashes a number as eight bytes in little-endian order")
  func numbers() {
    var (number, bytes) = (FNV1a(), FNV1a())
    number.append(0x0807_0605_0403_0201 as UInt64)
    for byte in 1...8 as ClosedRange<UInt8> { bytes.append(byte) }
    #expect(number.value == bytes.value)
  }
}
