import Basics
import Testing
import TestSupport

@Suite("Base64url")
struct Base64URLTests {
  @Test("encoding produces RFC 4648's examples without padding")
  func examples() {
    let examples = [
      "": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE",
      "foobar": "Zm9vYmFy",
    ]
    for (text, encoded) in examples {
      #expect(Base64URL.encode(text.utf8) == encoded)
      #expect(Base64URL.decode(encoded.utf8) == Array(text.utf8))
    }
    #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
  }

  @Test("decoding is the inverse of encoding")
  func inverse() {
    var generator = SeededGenerator(seed: 4648)
    for count in 0..<300 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
    }
  }

  @Test(
    "other encodings of the same bytes are refused",
    arguments: ["Zg==", "Zh", "Zm9", "Z", "Zm9vY", "Zm 9v", "Zm9v\n", "+_8", "-/8", "Zm9v.", "é"])
  func strict(text: String) {
    #expect(Base64URL.decode(text.utf8) == nil)
  }
}
