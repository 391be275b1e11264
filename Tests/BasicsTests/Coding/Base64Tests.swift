import Basics
import TestSupport
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(
    "decodes the examples of RFC 4648 §10, with padding and without",
    arguments: [
      ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
      ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"),
    ])
  func examples(text: String, plain: String) {
    #expect(Base64.decode(text) == Array(plain.utf8))
    #expect(Base64.decode(text.filter { $0 != "=" }) == Array(plain.utf8))
    #expect(Base64.encode(Array(plain.utf8)) == text)
  }

  @Test(
    "each byte sequence has exactly one accepted encoding",
    arguments: [
      "Zh==", "Zm9=", "Z", "Zm9v=", "====", "Z===", "Zg=", "Zm 9v", "Zm9v\n", "Zm9-", "é",
    ])
  func refused(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test("decodes its own output", arguments: 0..<20)
  func roundTrip(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...100, using: &generator)
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(Base64.decode(Base64.encode(bytes)) == bytes, "seed \(seed)")
  }
}
